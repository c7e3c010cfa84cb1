internal import Models
internal import PipelineFile
internal import RunSchemas
internal import SnapshotEditing
internal import Text

// The text above the tables: the learning data, the test data, and caveats.

extension RankingEvaluation {
  func heading(_ past: Past) -> [String] {
    source(past) + lengthAndMethods + laterDecisions + Self.profiles(past)
  }

  /// The learning data, and whether the split leaks.
  private func source(_ past: Past) -> [String] {
    let groups = past.split.groups
    let (learning, test) = (past.learned, groups.reduce(0) { $0 + $1.test })
    let when: String
    switch past.settings.cut {
    case .leaveLast(let count): when = "all but each user's last \(count)"
    default:
      when =
        groups.count == 1
        ? "up to " + (groups[0].cut.map { Instant(milliseconds: $0).description } ?? "nothing")
        : "in \(groups.count.grouped) groups by \(past.settings.within.joined(separator: ", "))"
    }
    var lines = [
      "\(past.pipeline.name), \(ranking.name): learned from \(learning.grouped) \(past.kind.name) \(when), tested on \(test.grouped)"
    ]
    if learning == 0 {
      lines.append("  warning: the cut leaves nothing to learn from: set a later 'evaluation.cut'")
    }
    if case .leaveLast = past.settings.cut {
      lines.append(
        "  warning: this split leaks. What others did later than a user's last interactions is learned from")
      lines.append("  as if it were known then; use 'cut' for figures that hold.")
    }
    return lines
  }

  /// Notes on metrics longer than the lists, on the model, and on methods that could not be fitted.
  private var lengthAndMethods: [String] {
    var lines: [String] = []
    if longest > ranking.top {
      lines.append(
        "  warning: lists have \(ranking.top.counted("place")), so metrics at \(longest) count nothing behind them"
      )
    }
    if let fitted, !FitSummary.text(fitted).kind.isEmpty {
      lines.append("  model   " + FitSummary.text(fitted).kind)
    }
    for (method, reason) in leftOut.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      lines.append("  warning: \(method.rawValue) is left out: \(reason)")
    }
    return lines
  }

  /// The numbers of users and candidates of later decisions, and of decisions that do not count.
  private var laterDecisions: [String] {
    let counts = decisions.counts
    var lines = [
      "  users   \(users.asOfCut.grouped) as of the cut; \(users.withDecisions.grouped) decided later, \(users.withLikes.grouped) liked a candidate (\(users.withLikesWithoutList.grouped) of them have no list)"
    ]
    let reach =
      counts.likes == 0
      ? "" : ", \(Self.percent(users.reachableLikes, of: counts.likes)) of them eligible as of the cut"
    lines.append(
      "  later   \(counts.likes.counted("like"))\(reach); \(counts.passes.counted("pass", "passes"))")
    let lost = [
      (counts.decidedBefore, "with candidates decided on before"), (counts.ofLaterUsers, "of later users"),
      (counts.withLaterCandidates, "with later candidates"), (counts.notTheLatest, "followed by another"),
      (counts.takenBack, "taken back or taking back"),
    ].filter { $0.0 > 0 }.map { "\($0.0.grouped) \($0.1)" }
    if !lost.isEmpty { lines.append("          not tested on: " + lost.joined(separator: ", ")) }
    return lines
  }

  /// Caveats for entities without update times, and for entities whose profiles as of the cut are unknown.
  private static func profiles(_ past: Past) -> [String] {
    var lines: [String] = []
    for entity in past.withoutHistory {
      lines.append(
        "  warning: \(entity) have no update times, so their current values are used: what changed after the"
      )
      lines.append("  cut leaks (name the field with 'updated' in the pipeline file)")
    }
    for (entity, counts) in past.entityCounts where counts.unknown > 0 {
      lines.append(
        past.settings.laterProfiles == .unknown
          ? "  \(counts.unknown.grouped) \(entity) changed after the cut, and their earlier values are unknown: they count as"
          : "  \(counts.unknown.grouped) \(entity) were changed after the cut and are taken as they are now,")
      lines.append(
        past.settings.laterProfiles == .unknown
          ? "  unknown (evaluation.later_profiles: as_exported takes them as they are now)"
          : "  which may leak the future (evaluation.later_profiles)")
    }
    return lines
  }
}

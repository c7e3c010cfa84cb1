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
        "  warning: the model learns from interactions of other users that happened after the tested interactions."
      )
      lines.append("  The figures are too good. For figures that a real run can reach, use a cut in time.")
    }
    return lines
  }

  /// Notes on metrics longer than the lists, on the model, and on methods that could not be fitted.
  private var lengthAndMethods: [String] {
    var lines: [String] = []
    if longest > ranking.top {
      lines.append(
        "  warning: lists have only \(ranking.top.counted("place")), so metrics at \(longest) count the other places as misses"
      )
    }
    if let fitted, !FitSummary.text(fitted).kind.isEmpty {
      lines.append("  model   " + FitSummary.text(fitted).kind)
    }
    for (method, reason) in leftOut.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      lines.append("  warning: the method \(method.rawValue) is missing: \(reason)")
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
      (counts.decidedBefore, "on candidates with an earlier decision"),
      (counts.ofLaterUsers, "by users created after the cut"),
      (counts.withLaterCandidates, "on candidates created after the cut"),
      (counts.notTheLatest, "replaced by a later decision"), (counts.takenBack, "retracted, or retractions"),
    ].filter { $0.0 > 0 }.map { "\($0.0.grouped) \($0.1)" }
    if !lost.isEmpty { lines.append("          not counted: " + lost.joined(separator: ", ")) }
    return lines
  }

  /// Caveats for entities without update times, and for entities whose profiles as of the cut are unknown.
  private static func profiles(_ past: Past) -> [String] {
    var lines: [String] = []
    for entity in past.withoutHistory {
      lines.append(
        "  warning: \(entity) have no update times, so their current values are used. Changes after the cut leak"
      )
      lines.append("  into the evaluation. If the export has update times, name their field with 'updated'.")
    }
    for (entity, counts) in past.entityCounts where counts.unknown > 0 {
      lines.append(
        past.settings.laterProfiles == .unknown
          ? "  \(counts.unknown.grouped) \(entity) changed after the cut. Their earlier values are unknown and count as missing"
          : "  \(counts.unknown.grouped) \(entity) changed after the cut. Their current values are used, which may leak the future"
      )
      lines.append(
        past.settings.laterProfiles == .unknown
          ? "  (to use their current values, set 'evaluation.later_profiles: as_exported')"
          : "  (to treat them as missing, set 'evaluation.later_profiles: unknown')")
    }
    return lines
  }
}

internal import Models
internal import PipelineFile
internal import RunSchemas
internal import Text

// The text above the tables: the learning and test data, and caveats.

extension EvaluationText {
  private var split: JSONValue { document["split"] ?? .null }
  private var settings: Pipeline.Evaluation { pipeline.evaluation ?? Pipeline.Evaluation() }

  func heading(_ ranking: JudgedRanking) -> [String] {
    source(ranking) + lengthAndMethods(ranking) + laterDecisions(ranking) + profiles
  }

  private func has(leak: String) -> Bool { split["leaks"]?.elements.contains(.string(leak)) ?? false }

  /// Returns lines about the learning data and about leaks of the split.
  private func source(_ ranking: JudgedRanking) -> [String] {
    let groups = split["groups"]?.elements ?? []
    let (learning, test) = (split["learning"]?.integerValue ?? 0, split["test"]?.integerValue ?? 0)
    let when: String
    if case .leaveLast(let count) = settings.cut {
      when = "(all but each user's last \(count))"
    } else if groups.count == 1 {
      when = groups[0]["cut"]?.stringValue.map { "up to " + $0 } ?? "(no cut)"
    } else {
      when = "in \(groups.count.grouped) groups by \(settings.within.joined(separator: ", "))"
    }
    let kind = split["interactions"]?.stringValue ?? ""
    var lines = [
      "\(pipeline.name), \(ranking.name): learned from \(learning.grouped) \(kind) \(when), tested on \(test.grouped)"
    ]
    if learning == 0 {
      lines.append(
        "  warning: no interaction remains to learn from. Set a later 'evaluation.cut', or a smaller 'evaluation.leave_last'."
      )
    }
    if has(leak: "leave_last") {
      lines.append(
        "  warning: the model learns from interactions of other users that happened after the tested interactions. The figures are too optimistic. For figures that a real run can reach, set 'evaluation.cut' to a share or a time."
      )
    }
    if has(leak: "groups_share_candidates") {
      let share = (split["leaking_share"]?.numberValue ?? 0).percent
      lines.append(
        "  warning: \(share) of the learning interactions are later than the cut of another group, and that group is tested on the same candidates. The figures may be too optimistic. To use one cut for all users, remove 'evaluation.within'."
      )
    }
    return lines
  }

  /// Returns lines about metrics at more places than a list has, about the model, and about methods that
  /// could not be fitted.
  private func lengthAndMethods(_ ranking: JudgedRanking) -> [String] {
    let figures = ranking.figures
    var lines: [String] = []
    let top = figures["list_length"]?.integerValue ?? 0
    if ranking.longest > top {
      lines.append(
        "  warning: lists have only \(top.counted("place")), so metrics at \(ranking.longest) count the missing places as misses. Set 'evaluation.at' to lengths up to \(top), or increase 'rankings.\(ranking.name).top'."
      )
    }
    if let fitted = figures["fit"], fitted != .null, !FitSummary.text(fitted).kind.isEmpty {
      lines.append("  model   " + FitSummary.text(fitted).kind)
    }
    for (method, reason) in (figures["left_out"]?.members ?? [:]).sorted(by: { $0.key < $1.key }) {
      lines.append("  warning: the method '\(method)' is missing: \(reason.stringValue ?? "")")
    }
    return lines
  }

  /// Returns lines about the numbers of later decisions, and about decisions that do not count.
  private func laterDecisions(_ ranking: JudgedRanking) -> [String] {
    func users(_ key: String) -> Int { ranking.figures["users"]?[key]?.integerValue ?? 0 }
    func decisions(_ key: String) -> Int { ranking.figures["decisions"]?[key]?.integerValue ?? 0 }
    let likes = decisions("likes")
    let reach =
      likes == 0
      ? ""
      : ", \(Self.percent(users("reachable_likes"), of: likes)) of them for candidates who were eligible as of the cut"
    let lost = [
      ("decided_before", "on candidates with an earlier decision"),
      ("of_later_users", "by users created after the cut"),
      ("with_later_candidates", "on candidates created after the cut"),
      ("not_the_latest", "replaced by a later decision"),
      ("taken_back", "retractions and retracted interactions"),
    ].filter { decisions($0.0) > 0 }.map { "\(decisions($0.0).grouped) \($0.1)" }
    return [
      "  users   \(users("as_of_cut").grouped) as of the cut; \(users("with_decisions").grouped) decided later, \(users("with_likes").grouped) liked a candidate (\(users("with_likes_without_list").grouped) of them without a list)",
      "  later   \(likes.counted("like"))\(reach); \(decisions("passes").counted("pass", "passes"))",
    ] + (lost.isEmpty ? [] : ["          not counted: " + lost.joined(separator: ", ")])
  }

  /// Caveats about entities without update times, and about rows whose attributes as of the cut are unknown.
  private var profiles: [String] {
    var lines: [String] = []
    if has(leak: "profiles_without_updated") {
      for entity in pipeline.entitiesWithoutHistory {
        lines.append(
          "  warning: \(entity) have no update times, so their current values are used. Changes after the cut leak into the evaluation. If the export has update times, name their field with 'updated'."
        )
      }
    }
    let isUnknown = settings.laterProfiles == .unknown
    for entity in pipeline.entities.map(\.name) {
      let count = split["entities"]?[entity]?["unknown_profile"]?.integerValue ?? 0
      if count == 0 { continue }
      lines.append(
        isUnknown
          ? "  \(count.counted("row")) of '\(entity)' changed after the cut. The earlier values are unknown and count as missing. To use the current values, set 'evaluation.later_profiles: as_exported'."
          : "  \(count.counted("row")) of '\(entity)' changed after the cut. The current values are used, which may leak the future. To treat these values as missing, set 'evaluation.later_profiles: unknown'."
      )
    }
    return lines
  }
}

extension Pipeline {
  /// The names of the entities that have attributes or positions, but no update times.
  var entitiesWithoutHistory: [String] {
    entities.filter { $0.updated == nil && ($0.hasPosition || !$0.attributes.isEmpty) }.map(\.name)
  }
}

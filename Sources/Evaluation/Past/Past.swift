internal import Columns
internal import Files
internal import Index
internal import PipelineFile
internal import Ranking
internal import RunSchemas
internal import SnapshotEditing
internal import Text

/// The snapshot and the index as of the cut, and the later interactions.
struct Past: Sendable {
  let pipeline: Pipeline
  let kind: Pipeline.Interaction
  let settings: Pipeline.Evaluation
  let split: TimeSplit
  let snapshot: Snapshot
  private let later: Snapshot
  private let cut: CutSnapshot
  private let learning: InteractionTable
  private let test: InteractionTable

  /// Writes `snapshot` and `index` as of the cut into `directory`.
  init(
    _ pipeline: Pipeline, _ kind: Pipeline.Interaction, _ later: Snapshot, _ settings: Pipeline.Evaluation,
    in directory: String, tool: String
  ) throws {
    guard let test = later.interactions[kind.name], let users = later.entities[kind.user.entity] else {
      preconditionFailure("the snapshot does not contain the tested interactions")
    }
    let split = TimeSplit(
      test, users: users, entity: kind.user.entity, settings, end: later.manifest.asOf)
    let others = later.interactions.mapValues { (at: $0.at.elements, user: $0.user.elements) }
    cut = try SnapshotCut.write(
      later, pipeline: pipeline, entityCut: { split.cut(ofEntity: $0, row: $1) },
      keepsInteraction: { name, index in
        if name == kind.name { return !split.isTest[index] }
        guard let table = others[name], let interaction = pipeline.interaction(name) else { return false }
        return table.at[index] <= split.cut(ofEntity: interaction.user.entity, row: Int(table.user[index]))
      }, asOf: split.asOf, into: directory, tool: tool,
      laterProfiles: settings.laterProfiles)
    snapshot = try Snapshot(
      directory + "/snapshot", entities: pipeline.entities.map(\.schema),
      interactions: pipeline.interactions.map(\.schema), requests: pipeline.requests.map(\.schema))
    _ = try IndexStage.run(pipeline, in: directory, tool: tool)
    guard let learning = snapshot.interactions[kind.name] else {
      preconditionFailure("the cut snapshot does not contain the learning interactions")
    }
    self.learning = learning
    self.pipeline = pipeline
    self.kind = kind
    self.settings = settings
    self.split = split
    self.later = later
    self.test = test
  }

  private func rows(_ entity: String) -> [UInt32] { cut.rows[entity] ?? [] }

  /// Returns the data on which `ranking` is evaluated.
  func world(for ranking: Pipeline.Ranking) -> CutWorld {
    let (users, candidates) = (rows(kind.user.entity), rows(kind.candidate.entity))
    let kept = users.indices.filter { users[$0] != CutSnapshot.noRow }
    let decisions = LaterDecisions(
      test, isTest: split.isTest, users: users, candidates: candidates, userCount: kept.count,
      omitsDecided: ranking.exclusions.contains(.interacted))
    return CutWorld(
      pipeline: pipeline, snapshot: snapshot, learning: learning, kind: kind, decisions: decisions,
      settings: settings, cutOfUser: kept.map { split.cut(ofEntity: kind.user.entity, row: $0) },
      laterMatches: laterMatches(decisions, keptRows: kept))
  }

  /// Returns the pairs of users who matched after the cut, and the matches among `decisions`; `nil` if users
  /// and candidates are different entities. For each user of the cut snapshot, `kept` contains the row number
  /// in the whole snapshot.
  private func laterMatches(_ decisions: LaterDecisions, keptRows kept: [Int]) -> LaterMatches? {
    guard kind.user.entity == kind.candidate.entity else { return nil }
    let rows = rows(kind.user.entity)
    let known = Set(learning.matches().map { [$0.first, $0.second] })
    let pairs = test.matches().map { [rows[Int($0.first)], rows[Int($0.second)]] }
      .filter { !$0.contains(CutSnapshot.noRow) && !known.contains($0) }
    var matches = LaterMatches(
      pairs: pairs, isMatch: LaterMatches.labels(of: decisions, answers: test, keptRows: kept))
    matches.leaveOut(from: decisions) { user in
      { known.contains([min(UInt32(user), $0), max(UInt32(user), $0)]) }
    }
    return matches
  }

  /// The number of learning interactions. It excludes interactions of users or candidates that appeared after
  /// the cut, and interactions that another interaction up to the cut retracted or replaced.
  var learned: Int { learning.count }

  private var learningPart: Int { split.groups.reduce(0) { $0 + $1.learning } }

  /// The description of the split, for `metrics.json`.
  var json: JSONValue {
    var entities: [String: JSONValue] = [:]
    for (name, counts) in cut.entities {
      entities[name] = [
        "as_of_cut": .integer(counts.kept), "created_later": .integer(counts.notYet),
        "earlier_version": .integer(counts.earlier), "unknown_profile": .integer(counts.unknown),
      ]
    }
    var leaks: [JSONValue] = []
    if case .leaveLast = settings.cut { leaks.append("leave_last") }
    if !pipeline.entitiesWithoutHistory.isEmpty { leaks.append("profiles_without_updated") }
    if settings.laterProfiles == .asExported { leaks.append("later_profiles_as_exported") }
    if split.leakingShare > 0 { leaks.append("groups_share_candidates") }
    return [
      "interactions": .string(kind.name), "learning": .integer(learned),
      "learning_left_out": .integer(learningPart - learned),
      "test": .integer(split.groups.reduce(0) { $0 + $1.test }), "leaks": .array(leaks),
      "leaking_share": .number(split.leakingShare),
      "later_profiles": .string(settings.laterProfiles.rawValue),
      "groups": .array(
        split.groups.map { group in
          [
            "group": .string(group.name), "cut_ms": group.cut.map { .integer(Int($0)) } ?? .null,
            "cut": group.cut.map { .string(Instant(milliseconds: $0).description) } ?? .null,
            "learning": .integer(group.learning), "test": .integer(group.test),
          ]
        }),
      "entities": .object(entities),
    ]
  }
}

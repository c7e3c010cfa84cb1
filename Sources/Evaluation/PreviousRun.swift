internal import Columns
internal import Files
internal import PipelineFile
internal import RunSchemas
internal import Text

/// The evaluation of the lists that an earlier run published. The lists are tested on the interactions after
/// the as-of time of that run.
struct PreviousRun: Sendable {
  let directory: String
  let asOf: Instant
  let rankings: [Judged]
  /// The digests of the manifests of both runs' rankings, by their keys in the manifest of the evaluation.
  let parents: [String: String]

  struct Judged: Sendable {
    var ranking: Pipeline.Ranking
    var metrics: [Metric]
    /// The task of finding new likes, over users of the earlier run with a like since its as-of time.
    var finding: UserTask
    /// The number of these users whose list in the earlier run was empty.
    var withoutList: Int
    var likes: Int
    /// The rank-biased overlap of each user's lists in both runs, over users of both runs with a non-empty
    /// list in at least one run. `nil` if the evaluated run has no lists.
    var overlap: UserTask?
  }

  /// Evaluates the lists of the run in `directory` against the later interactions in `snapshot`, which is the
  /// snapshot of the evaluated run `run`.
  ///
  /// - Throws: `OtherPipelinesRun` if the run in `directory` belongs to another pipeline; `NotEarlierRun` if
  ///   its as-of time is not earlier than the as-of time of `run`; `FileError` if it has no lists or is damaged.
  init(
    _ directory: String, _ rankings: [Pipeline.Ranking], _ kind: Pipeline.Interaction, _ snapshot: Snapshot,
    _ settings: Pipeline.Evaluation, run: String, pipeline: Pipeline
  ) throws {
    let manifest = try Manifest(of: directory + "/rankings")
    guard manifest.pipeline == pipeline.name else {
      throw OtherPipelinesRun(directory, of: manifest.pipeline, not: pipeline.name)
    }
    guard manifest.asOf < snapshot.manifest.asOf else {
      throw NotEarlierRun(directory, asOf: manifest.asOf, not: snapshot.manifest.asOf)
    }
    guard let table = snapshot.interactions[kind.name], let users = snapshot.entities[kind.user.entity],
      let candidates = snapshot.entities[kind.candidate.entity]
    else { preconditionFailure("the snapshot lacks the tested interactions") }
    let asOf = manifest.asOf
    self.directory = directory
    self.asOf = asOf
    let usersThen = try Self.rows(kind.user.entity, in: directory, of: users.ids)
    let candidatesThen = try Self.rows(kind.candidate.entity, in: directory, of: candidates.ids)
    let hasLists = Directories.exists(run + "/rankings")
    parents = [
      "previous_rankings": manifest.digest,
      "rankings": hasLists ? try Manifest(of: run + "/rankings").digest : nil,
    ].compactMapValues { $0 }
    let judge = PreviousListJudge(
      previous: directory, present: hasLists ? run : nil, table: table,
      isTest: table.at.elements.map { $0 > asOf.milliseconds }, users: users.ids, candidates: candidates.ids,
      usersThen: usersThen, candidatesThen: candidatesThen, settings: settings, seed: pipeline.seed)
    self.rankings = try rankings.map { try judge.judged($0) }
  }

  /// Returns, for each of `ids`, whether the snapshot of the run in `directory` contains the id.
  private static func rows(_ entity: String, in directory: String, of ids: StringColumn) throws -> [Bool] {
    let then = try StringColumn(directory + "/snapshot/entities/" + entity + "/id")
    var isKnown = [Bool](repeating: false, count: ids.count)
    for row in 0..<then.count {
      if let place = ids.row(of: Array(copying: then.bytes(row))) { isKnown[place] = true }
    }
    return isKnown
  }

  var json: JSONValue {
    var judged: [String: JSONValue] = [:]
    for ranking in rankings {
      var finding: [String: JSONValue] = [:]
      for (index, metric) in ranking.metrics.enumerated() {
        finding[metric.name] = ranking.finding.estimate(method: 0, metric: index).json
      }
      judged[ranking.ranking.name] = [
        "finding": .object(finding), "users_with_likes": .integer(ranking.finding.users.count),
        "users_with_likes_without_list": .integer(ranking.withoutList), "likes": .integer(ranking.likes),
        "rank_biased_overlap": ranking.overlap?.estimate(method: 0, metric: 0).json ?? .null,
      ]
    }
    return ["as_of": .string(asOf.description), "rankings": .object(judged)]
  }
}

/// Evaluates the lists of one run, ranking by ranking, against later interactions.
private struct PreviousListJudge {
  /// The directory of the earlier run, whose lists are evaluated.
  let previous: String
  /// The directory of the evaluated run, whose lists are compared with the earlier lists; `nil` if that run
  /// has no lists.
  let present: String?
  /// All interactions. `isTest` marks the interactions after the as-of time of the earlier run.
  let table: InteractionTable
  let isTest: [Bool]
  let users: StringColumn
  let candidates: StringColumn
  /// Whether the earlier run contains each user, by row.
  let usersThen: [Bool]
  let candidatesThen: [Bool]
  let settings: Pipeline.Evaluation
  let seed: UInt64

  func judged(_ ranking: Pipeline.Ranking) throws -> PreviousRun.Judged {
    let published = try PublishedLists(ranking.name, in: previous, users: users, candidates: candidates)
    let decisions = LaterDecisions(
      table, isTest: isTest, users: Self.rows(usersThen), candidates: Self.rows(candidatesThen),
      userCount: users.count, omitsDecided: ranking.exclusions.contains(.interacted))
    let finders = (0..<users.count).filter { !decisions.relevant(of: $0).isEmpty }
    let metrics = Metric.all(at: settings.at)
    let judged = finders.map { JudgedList(published.lists[$0], relevant: decisions.relevant(of: $0)) }
    return PreviousRun.Judged(
      ranking: ranking, metrics: metrics,
      finding: task(
        finders, metrics.map(\.name), metrics.map { metric in judged.map { metric.value(of: $0) } }),
      withoutList: finders.count { published.lists[$0].isEmpty }, likes: decisions.counts.likes,
      overlap: try overlap(ranking, published))
  }

  /// Returns the overlap of the lists of both runs; `nil` if the evaluated run has no lists.
  private func overlap(_ ranking: Pipeline.Ranking, _ published: PublishedLists) throws -> UserTask? {
    guard let present else { return nil }
    let now = try PublishedLists(ranking.name, in: present, users: users, candidates: candidates)
    // Users with an empty list in both runs are skipped, because they show no change.
    let both = (0..<users.count).filter {
      usersThen[$0] && !(published.lists[$0].isEmpty && now.lists[$0].isEmpty)
    }
    return task(
      both, ["rank_biased_overlap"],
      [
        both.map {
          rankBiasedOverlap(published.lists[$0].distinctCandidates, now.lists[$0].distinctCandidates)
        }
      ])
  }

  private func task(_ users: [Int], _ metrics: [String], _ values: [[Double]]) -> UserTask {
    UserTask(
      users: users, metrics: metrics, values: [values], clusters: nil, samples: settings.samples, seed: seed)
  }

  /// Returns each row's own number, or `UInt32.max` if the earlier run does not contain the row's id.
  private static func rows(_ isKnown: [Bool]) -> [UInt32] {
    isKnown.indices.map { isKnown[$0] ? UInt32($0) : .max }
  }
}

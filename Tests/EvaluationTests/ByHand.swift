import Columns
import Files
import PipelineFile
import RunSchemas
import TestSupport
import Text

@testable import Evaluation

/// Builds tables, lists and evaluations from rows that a test lists.
enum ByHand {
  /// Returns interactions in the order in which ingest writes them: by user, then by time.
  static func interactions(
    _ rows: [(user: Int, candidate: Int, at: Int, value: Double)], users: Int, candidates: Int,
    likedFrom: Double? = nil
  ) throws -> InteractionTable {
    let ordered = rows.enumerated().sorted {
      ($0.element.user, $0.element.at, $0.offset) < ($1.element.user, $1.element.at, $1.offset)
    }.map(\.element)
    let byCandidate = ordered.indices.sorted { (ordered[$0].candidate, $0) < (ordered[$1].candidate, $1) }
    func offsets(_ members: [Int], of count: Int) -> [UInt64] {
      (0...count).map { group in UInt64(members.count { $0 < group }) }
    }
    return try made { (directory) throws(FileError) in
      try Column.write(ordered.map { UInt32($0.candidate) }, to: "candidate.npy", in: &directory)
      try Column.write(ordered.map { Int64($0.at) }, to: "at.npy", in: &directory)
      try Column.write(ordered.map(\.value), to: "value.npy", in: &directory)
      try Column.write(offsets(ordered.map(\.user), of: users), to: "user.offsets.npy", in: &directory)
      try Column.write(byCandidate.map { UInt32($0) }, to: "by_candidate.npy", in: &directory)
      try Column.write(
        offsets(ordered.map(\.candidate), of: candidates), to: "by_candidate.offsets.npy", in: &directory)
    } reading: {
      try InteractionTable($0, likedFrom: likedFrom)
    }
  }

  static func strings(_ texts: [String]) throws -> StringColumn {
    try made { (directory) throws(FileError) in
      try StringColumn.write(texts.map { Array($0.utf8) }, to: "texts", in: &directory)
    } reading: {
      try StringColumn($0 + "/texts")
    }
  }

  /// Returns a category column with one word per row. `nil` is a missing value.
  static func category(_ words: [String?]) throws -> CategoryColumn {
    let vocabulary = Set(words.compactMap(\.self)).sorted()
    let codes = words.map { word in
      word.flatMap { vocabulary.firstIndex(of: $0) }.map { UInt32($0) } ?? CategoryColumn.missing
    }
    return try made { (directory) throws(FileError) in
      try CategoryColumn.write(codes, in: vocabulary.map { Array($0.utf8) }, to: "words", in: &directory)
    } reading: {
      try CategoryColumn($0 + "/words")
    }
  }

  private static func made<Value>(
    _ write: (inout StageDirectory) throws(FileError) -> Void, reading: (String) throws -> Value
  ) throws -> Value {
    let scratch = try ScratchDirectory()
    var directory = try StageDirectory("made", in: scratch.path)
    try write(&directory)
    _ = try directory.complete(
      Manifest(
        tool: "test", stage: "made", pipeline: "", configuration: .null, asOf: Instant(milliseconds: 0),
        seed: 0, counts: [:]))
    return try reading(scratch("made"))
  }

  /// Returns one list per user, without distances.
  static func lists(_ lists: [[Int]]) -> MethodLists {
    var all = MethodLists()
    for list in lists { all.append(list.map { ($0, .nan) }) }
    return all
  }

  /// Returns the later decisions of each user: each candidate and whether the user liked it.
  ///
  /// `counts` contains the number of interactions that were not counted as decisions.
  static func decisions(
    _ users: [[(candidate: UInt32, isLike: Bool)]], counts: LaterDecisions.Counts = LaterDecisions.Counts()
  ) -> LaterDecisions {
    var offsets = [0]
    for user in users { offsets.append(offsets[offsets.count - 1] + user.count) }
    let all = users.flatMap { $0 }
    var counts = counts
    counts.interactions = all.count
    counts.likes = all.count { $0.isLike }
    counts.passes = all.count - counts.likes
    return LaterDecisions(
      offsets: offsets, candidates: all.map(\.candidate), isLike: all.map(\.isLike), counts: counts)
  }
}

extension Method {
  /// The methods that an evaluation of a ranking by score compares, unless it leaves one out.
  static let ofScores = allCases.filter { ![.oneSided, .withoutExposure].contains($0) }
}

/// A method that returns given lists and scores.
struct GivenRanker: MethodRanker {
  typealias Failure = Never

  /// The given lists, by user.
  var given: [[Int]]
  var inReach: [Int] = []
  var distance: @Sendable (_ user: Int, _ candidate: Int) -> Double = { _, _ in .nan }
  var score: @Sendable (_ user: Int, _ candidate: Int) -> (orders: Double, predicts: Double?) = { _, _ in
    (0, nil)
  }

  func lists(threads: Int) -> [(list: [(candidate: Int, distance: Double)], inReach: Int)] {
    given.enumerated().map { user, list in
      (
        list.map { (candidate: $0, distance: distance(user, $0)) },
        inReach.isEmpty ? 0 : inReach[user]
      )
    }
  }

  func scores(of user: Int, candidates: ArraySlice<UInt32>) -> [(orders: Double, predicts: Double?)] {
    candidates.map { score(user, Int($0)) }
  }
}

extension ByHand {
  /// The ranking `near` of a pipeline over the tests' shared people, with `top` places per list.
  static func ranking(top: Int = 3) throws -> Pipeline.Ranking {
    let pipeline = try Pipeline(
      yaml: """
        pipeline: small
        as_of: newest
        plausible: [1, 9999]
        entities: { users: { source: { path: users.csv }, id: id } }
        interactions:
          swipes:
            source: { path: swipes.csv }
            user: who
            candidate: whom
            at: at
            value: { from: way, map: { r: 1, l: -1 } }
        rankings:
          near: { users: users, candidates: users, exclude: [self, interacted], top: \(top), order_by: distance }
        """, file: "small.yaml")
    return pipeline.rankings[0]
  }

  /// Returns an evaluation that contains only the given figures per method and user.
  static func evaluation(
    _ methods: [Method], areas: [[Double]], gains: [[Double]]? = nil, isPipelinesOwn: [Bool]? = nil,
    clusters: [Int]? = nil, at lengths: [Int] = [1, 3], samples: Int = 400,
    later: [[(candidate: UInt32, isLike: Bool)]] = [], matchAreas: [[Double]]? = nil
  ) throws -> RankingEvaluation {
    let metrics = Metric.all(at: lengths)
    let gains = gains ?? areas.map { $0.map { _ in 0.5 } }
    let decisions = Self.decisions(later)
    return RankingEvaluation(
      ranking: try ranking(), methods: methods,
      isPipelinesOwn: isPipelinesOwn ?? methods.map { _ in false }, metrics: metrics, decisions: decisions,
      outcomes: methods.map {
        MethodOutcome($0, GivenRanker(given: later.map { _ in [] }), decisions, scale: nil, threads: 1)
      },
      finding: UserTask(
        users: Array(gains[0].indices), metrics: metrics.map(\.name),
        values: gains.map { values in metrics.map { _ in values } }, clusters: clusters, samples: samples,
        seed: 1),
      ordering: UserTask(
        users: Array(areas[0].indices), metrics: ["auc"], values: areas.map { [$0] },
        clusters: clusters.map { Array($0.prefix(areas[0].count)) },
        samples: samples, seed: 1),
      matching: matchAreas.map { areas in
        UserTask(
          users: Array(areas[0].indices), metrics: ["match_auc", "match_at_1"],
          values: areas.map { [$0, $0] },
          clusters: clusters, samples: samples, seed: 1)
      },
      areas: methods.map { _ in [] },
      profiles: methods.map { _ in
        ListProfile(MethodLists(), isCandidate: [], decidedOnBy: [], isOneKind: true)
      }, calibrations: methods.map { _ in nil }, slicings: [],
      groupExposures: [], matches: nil,
      users: RankingEvaluation.Users(
        asOfCut: 0, withDecisions: 0, withLikes: 0, withLikesWithoutList: 0, withBoth: 0, reachableLikes: 0),
      leftOut: [:], fitted: nil, clusters: clusters.map { Set($0).count })
  }
}

internal import Concurrency
internal import Index
internal import PipelineFile
internal import Ranking
internal import Search

/// Ranks with the code of the stage `rank`: by a model, by discovery scores or by distance.
struct RecommenderRanker: MethodRanker {
  let recommender: Recommender
  /// The limits on exposure that the lists obey; `nil` for no limits.
  var limits: Pipeline.ExposureLimits?

  func lists(threads: Int) -> [(list: [(candidate: Int, distance: Double)], inReach: Int)] {
    let found =
      limits.map { recommender.searchAll(within: $0, threads: threads) }
      ?? recommender.searchAll(threads: threads)
    return found.map { result in
      (result.best.map { ($0.candidate, $0.distance) }, result.counts?.inReach ?? 0)
    }
  }

  func scores(of user: Int, candidates: ArraySlice<UInt32>) -> [(orders: Double, predicts: Double?)] {
    let view = recommender.view(of: user)
    return candidates.map { candidate in
      let (score, distance) = view.score(candidate: Int(candidate))
      // A user without a model gets candidates in the order of distance, with unknown distances last, as on
      // the lists.
      let key =
        score.map { view.sortKey(candidate: Int(candidate), distance: distance, score: $0) }
        ?? (distance.isNaN ? -.greatestFiniteMagnitude : -distance)
      return (key, score)
    }
  }
}

/// Ranks eligible candidates in a uniformly random order that the seed determines.
struct RandomRanker: MethodRanker {
  let recommender: Recommender
  /// The spatial index of the candidates; `nil` if the ranking has no radius.
  let index: SpatialIndex?
  let seed: UInt64

  func lists(threads: Int) -> [(list: [(candidate: Int, distance: Double)], inReach: Int)] {
    parallelMap(count: recommender.userCount, chunkSize: 256, threads: threads) { chunk in
      // The candidates in reach are not counted. The evaluation uses the counts of the pipeline's own
      // ranking.
      chunk.map { (list: list(of: $0), inReach: 0) }
    }.flatMap { $0 }
  }

  private func list(of user: Int) -> [(candidate: Int, distance: Double)] {
    let view = recommender.view(of: user)
    let pool = recommender.pool(of: user, in: index)
    var random = SplitMix64(seed: Mix64.pair(UInt64(user), 0, seed: seed))
    var list: [(candidate: Int, distance: Double)] = []
    // A partial Fisher-Yates shuffle of the pool; `moved` maps a place to the index of the candidate swapped
    // there.
    var moved: [Int: Int] = [:]
    for place in 0..<pool.count {
      let drawn = Int.random(in: place..<pool.count, using: &random)
      let candidate = pool[moved[drawn] ?? drawn]
      moved[drawn] = moved[place] ?? place
      guard view.isEligible(candidate: candidate) else { continue }
      list.append((candidate, view.distanceInKilometers(to: candidate)))
      if list.count == recommender.ranking.top { break }
    }
    return list
  }

  func scores(of user: Int, candidates: ArraySlice<UInt32>) -> [(orders: Double, predicts: Double?)] {
    candidates.map { candidate in
      (Double(Mix64.pair(UInt64(user), UInt64(candidate), seed: seed) >> 11), nil)
    }
  }
}

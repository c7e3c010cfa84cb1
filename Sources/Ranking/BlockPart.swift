internal import Features
internal import PipelineFile
internal import Tables

/// Candidates who are searched together: all, or those with one word.
///
/// There are two trees of the same candidates. One is grown by all that scores are made of. In the other, places alone
/// count: whoever has no model, or tells nobody apart by it, sees the nearest first, and those stand together there.
/// In a city such a user has ties by the thousand, which are spread over all of the first tree.
///
/// A class, as it is shared by all threads: see `BlockSearch`.
final class BlockPart: Sendable {
  /// Through the tree grown by all that scores are made of.
  let byScore: TreeSearch
  /// Through the tree grown by places.
  let byDistance: TreeSearch
  /// How many are within the radius; `nil` where there is none.
  let reach: ReachCounts?
  /// Of a ranking without a radius, where everybody is in reach.
  let everybody: SearchCounts

  /// What the trees of all parts are grown by.
  struct Dimensions {
    let places: [TreeDimension]
    let scores: [TreeDimension]

    init(_ people: RankedPeople, models: (space: FeatureSpace, table: ModelTable)?) {
      let radius = people.ranking.radiusInKilometers
      places = TreeDimension.all(people.candidates, radiusInKilometers: radius, space: nil, table: nil)
      scores = TreeDimension.all(
        people.candidates, radiusInKilometers: radius, space: models?.space, table: models?.table)
    }
  }

  /// - Parameters:
  ///   - people: Users, candidates and rules.
  ///   - members: Rows of the candidates of this part, ascending.
  ///   - flags: By row: the index of the first exclusion by a flag, or `nil`.
  ///   - models: What scores are made of; `nil` where the ranking is by distance.
  ///   - dimensions: What trees are grown by.
  ///   - threads: Workers to grow the trees.
  init(
    _ people: RankedPeople, _ members: [UInt32], flags: [Int?],
    models: (space: FeatureSpace, table: ModelTable)?, _ dimensions: Dimensions, threads: Int
  ) {
    let (ranking, candidates) = (people.ranking, people.candidates)
    let listable = members.filter {
      flags[Int($0)] == nil && (ranking.radiusInKilometers == nil || candidates[Int($0)] != nil)
    }
    byDistance = TreeSearch(people, listable, models: nil, dimensions.places, threads: threads)
    byScore =
      models == nil
      ? byDistance : TreeSearch(people, listable, models: models, dimensions.scores, threads: threads)
    reach = ranking.radiusInKilometers.map {
      ReachCounts(
        members, flags: flags, positions: candidates, radiusInKilometers: $0, dimensions.places,
        threads: threads)
    }
    var everybody = SearchCounts(excluded: Array(repeating: 0, count: ranking.exclusions.count))
    everybody.inReach = members.count
    for row in members { if let flag = flags[Int(row)] { everybody.excluded[flag] += 1 } }
    self.everybody = everybody
  }
}

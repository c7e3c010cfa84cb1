internal import Features
internal import Geohash
internal import PipelineFile
internal import RunSchemas

/// A group of candidates that is searched together: all candidates, the candidates with one word, or the
/// candidates without a word.
///
/// Two trees contain the same candidates. One tree is split on the features behind the scores, and the other
/// tree on positions alone. A user without a model, or with a model that scores all candidates alike, gets
/// the nearest candidates first. For such users, the search uses the second tree, because it keeps nearby
/// candidates together. The first tree scatters them over many blocks.
///
/// This type is a class for the reason that `BlockSearch` explains.
final class BlockPart: Sendable {
  /// The search in the tree that is split on the features behind the scores.
  let byScore: TreeSearch
  /// The search in the k-d tree that splits on positions.
  let byDistance: TreeSearch
  /// Counts the candidates within the radius; `nil` if the ranking has no radius.
  let reach: ReachCounts?
  /// The counts of a ranking without a radius, where every candidate is in reach.
  let everybody: SearchCounts

  /// The dimensions on which the trees of all parts are split.
  struct Dimensions {
    /// The position of each candidate, one element per row; `nil` if unknown.
    let vectors: [UnitVector?]
    let places: [TreeDimension]
    let scores: [TreeDimension]

    init(_ people: RankedPeople, models: (space: FeatureSpace, table: ModelTable)?, threads: Int) {
      let radius = people.ranking.radiusInKilometers
      vectors = people.candidates.vectors(threads: threads)
      let axes = TreeDimension.axes(vectors)
      places = TreeDimension.all(axes, radiusInKilometers: radius, models: nil)
      scores = TreeDimension.all(axes, radiusInKilometers: radius, models: models)
    }
  }

  /// Builds the trees and the counts of one part.
  ///
  /// - Parameters:
  ///   - people: Users and candidates.
  ///   - members: Rows of the candidates of this part, ascending.
  ///   - flags: For each row, the index in the ranking's exclusions of the first flag or condition that
  ///     excludes the candidate; -1 if none does.
  ///   - models: The features and models behind the scores; `nil` if the ranking is by distance.
  ///   - dimensions: The dimensions on which to split the trees.
  ///   - threads: The number of workers that build the trees.
  init(
    _ people: RankedPeople, _ members: [UInt32], flags: [Int16],
    models: (space: FeatureSpace, table: ModelTable)?, _ dimensions: Dimensions, threads: Int
  ) {
    let (ranking, candidates) = (people.ranking, people.candidates)
    let listable = members.filter {
      flags[Int($0)] < 0 && (ranking.radiusInKilometers == nil || candidates[Int($0)] != nil)
    }
    func search(
      _ rows: [UInt32], _ models: (space: FeatureSpace, table: ModelTable)?, _ grown: [TreeDimension]
    ) -> TreeSearch {
      TreeSearch(people, rows, models: models, grown, vectors: dimensions.vectors, threads: threads)
    }
    let byDistance = search(listable, nil, dimensions.places)
    self.byDistance = byDistance
    byScore = models == nil ? byDistance : search(listable, models, dimensions.scores)
    reach = ranking.radiusInKilometers.map { radius in
      // If no flag or condition excludes a candidate, the counted candidates are exactly the listable
      // candidates, and one tree is enough.
      let counted = members.filter { dimensions.vectors[Int($0)] != nil }
      return ReachCounts(
        counted == listable ? byDistance : search(counted, nil, dimensions.places), flags: flags,
        radiusInKilometers: radius)
    }
    var everybody = SearchCounts(exclusions: ranking.exclusions.count)
    everybody.inReach = members.count
    for row in members where flags[Int(row)] >= 0 { everybody.excluded[Int(flags[Int(row)])] += 1 }
    self.everybody = everybody
  }
}

internal import Algorithms
internal import Features
internal import Geohash

/// The areas in which users like candidates. An area is a geohash cell.
///
/// In data such as visits to places, most candidates have too few likes for item-to-item coefficients. The
/// areas with these candidates have more likes. Coefficients between areas therefore predict in which areas a
/// user likes candidates next.
struct LikedAreas: Sendable {
  /// The ridge penalty λ for the coefficients between areas, in users.
  static let penalty = 30.0

  /// The area of each candidate; `nil` if its position is unknown.
  let areaOf: [Int32?]
  /// The areas that each user likes, in the order of the newest like in the area, newest first. A user likes
  /// an area if the user likes a candidate in the area.
  private let liked: LikedCandidates
  private let coefficients: ItemToItem
  /// For each area: of all users who like the area, the share that likes at least two candidates in it. The
  /// value is 0 if fewer than `CoLikes.leastUsers` users like at least two candidates in the area.
  private let returnRates: [Float]

  /// Computes the coefficients between the areas.
  ///
  /// Load the linear algebra library before the first call.
  ///
  /// - Parameters:
  ///   - candidates: The likes of all users.
  ///   - positions: The positions of the candidates.
  ///   - precision: The precision of the geohash cells, 1 to 12.
  ///   - threads: The maximum number of threads; the result does not depend on it.
  init(_ candidates: LikedCandidates, _ positions: Positions, precision: Int, threads: Int) {
    let cells = (0..<positions.count).map { row in
      positions[row].map { Geohash($0, precision: precision).bits }
    }
    let numbers = Dictionary(
      uniqueKeysWithValues: Set(cells.compactMap { $0 }).sorted().enumerated().map {
        ($0.element, Int32($0.offset))
      })
    areaOf = cells.map { cell in cell.flatMap { numbers[$0] } }
    var (offsets, areas, times): ([Int], [UInt32], [Int64]) = ([0], [], [])
    var (users, returning) = (
      [Int](repeating: 0, count: numbers.count), [Int](repeating: 0, count: numbers.count)
    )
    for user in 0..<candidates.userCount {
      var counts: [Int32: Int] = [:]
      for place in candidates.range(ofUser: user) {
        guard let area = areaOf[Int(candidates.candidates[place])] else { continue }
        counts[area, default: 0] += 1
        if counts[area] == 1 {
          areas.append(UInt32(area))
          times.append(candidates.times[place])
        }
      }
      offsets.append(areas.count)
      for (area, count) in counts {
        users[Int(area)] += 1
        if count > 1 { returning[Int(area)] += 1 }
      }
    }
    liked = LikedCandidates(
      offsets: offsets, candidates: areas, times: times, candidateCount: numbers.count)
    coefficients = ItemToItem(liked, penalty: Self.penalty, threads: threads)
    returnRates = zip(users, returning).map { users, returning in
      returning < CoLikes.leastUsers ? 0 : Float(returning) / Float(users)
    }
  }

  /// Returns, for each area, a prediction of whether the user's next likes include a candidate in the area.
  ///
  /// A prediction is the weighted sum of the coefficients over the user's newest `CoLikes.mostLikes` liked
  /// areas. If the area is one of these areas, its weighted return rate is added.
  ///
  /// - Parameters:
  ///   - user: The row of the user.
  ///   - halfPlace: The number of newer liked areas after which a liked area has half its weight; `nil` if
  ///     all liked areas have the same weight.
  /// - Returns: One number per area, at least 0. The number estimates a chance, but it can exceed 1.
  func predictions(ofUser user: Int, halfPlace: Double?) -> [Float] {
    let areas = liked.candidates[liked.range(ofUser: user)]
    var predictions = [Float](repeating: 0, count: returnRates.count)
    coefficients.add(areas, halfPlace: halfPlace, to: &predictions)
    for (place, area) in areas.prefix(CoLikes.mostLikes).enumerated() {
      predictions[Int(area)] += ItemToItem.weight(place, halfPlace) * returnRates[Int(area)]
    }
    return predictions.map { max($0, 0) }
  }
}

/// The popularity by area: the popularity of each candidate for one user. It depends on the areas that the
/// user likes.
struct LocalPopularity: Sendable {
  /// The share of the popularity that depends on the user's likes.
  static let share: Float = 0.75

  private let areas: LikedAreas
  private let popularity: TrendingPopularity
  /// For each candidate, its share of the trending popularity of its area; 0 if its position is unknown.
  private let shares: [Float]

  init(_ areas: LikedAreas, _ popularity: TrendingPopularity) {
    (self.areas, self.popularity) = (areas, popularity)
    var sums: [Int32: Float] = [:]
    for (candidate, area) in areas.areaOf.enumerated() {
      if let area { sums[area, default: 0] += popularity.values[candidate] }
    }
    shares = areas.areaOf.enumerated().map { candidate, area in
      area.flatMap { sums[$0] }.map { popularity.values[candidate] / $0 } ?? 0
    }
  }

  /// Returns the popularity of each candidate for a user:
  ///
  ///     q/4 + (3/4) · t · q/Q
  ///
  /// Here, q is the candidate's trending popularity, Q is the sum of q over all candidates in its area, and t
  /// is the prediction for the user and the area. If the position of a candidate is unknown, the result is q.
  /// If t is 0 in all areas, as for a user without likes, the result is q for every candidate.
  ///
  /// - Parameter predictions: The predictions of `LikedAreas` for the user.
  /// - Returns: One number per candidate, above 0.
  func values(_ predictions: [Float]) -> [Float] {
    guard predictions.contains(where: { $0 > 0 }) else { return popularity.values }
    return areas.areaOf.enumerated().map { candidate, area in
      let own = popularity.values[candidate]
      guard let area else { return own }
      return (1 - Self.share) * own + Self.share * predictions[Int(area)] * shares[candidate]
    }
  }
}

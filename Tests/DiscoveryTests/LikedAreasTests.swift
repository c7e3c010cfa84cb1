import Concurrency
import Features
import Foundation
import Geohash
import LeastSquares
import Testing

@testable import Discovery

struct LikedAreasTests {
  init() throws { try LinearAlgebraLibrary.load() }

  /// Six candidates in three cells of precision 4, and one without a position.
  private static let positions = Positions(
    latitudes: [50, 50.01, 51, 51.01, 52, 52, .nan], longitudes: [8, 8.01, 8, 8, 8, 8.01, .nan])

  /// Random likes of 40 users for the candidates. The seventh candidate has no position.
  private static func likes(seed: UInt64) -> LikedCandidates {
    var random = SplitMix64(seed: seed)
    return LikesByHand.liked(
      (0..<40).map { _ in
        (0..<7 as Range<UInt32>).filter { _ in Bool.random(using: &random) }.shuffled(using: &random)
      }, candidates: 7)
  }

  /// The areas that a user likes, in the order of the newest like in the area, newest first.
  private static func areas(_ liked: LikedCandidates, of user: Int) -> [Int] {
    var areas: [Int] = []
    for candidate in liked.candidates[liked.range(ofUser: user)] where candidate < 6 {
      if !areas.contains(Int(candidate) / 2) { areas.append(Int(candidate) / 2) }
    }
    return areas
  }

  @Test func `candidates in the same cell are in the same area`() {
    let areas = LikedAreas(Self.likes(seed: 1), Self.positions, precision: 4, threads: 1)
    #expect(areas.areaOf.map { $0.map(Int.init) } == [0, 0, 1, 1, 2, 2, nil])
    let cells = LikedAreas(Self.likes(seed: 1), Self.positions, precision: 7, threads: 1)
    #expect(Set(cells.areaOf.compactMap { $0 }).count == 6)
  }

  /// Computes the predictions from the definitions: one ridge regression per area, plus the return rate of
  /// each liked area.
  @Test(arguments: 0..<20 as Range<UInt64>, [nil, 1.5])
  func `predictions equal the definition`(seed: UInt64, halfPlace: Double?) throws {
    let liked = Self.likes(seed: seed)
    let found = LikedAreas(liked, Self.positions, precision: 4, threads: 2)
    let own = (0..<40).map { Self.areas(liked, of: $0) }
    func users(_ one: Int, _ other: Int) -> Double {
      Double(own.count { $0.contains(one) && $0.contains(other) })
    }
    let returns = (0..<3).map { area in
      let returning = (0..<40).count { user in
        let candidates = liked.candidates[liked.range(ofUser: user)]
        return candidates.contains(UInt32(2 * area)) && candidates.contains(UInt32(2 * area + 1))
      }
      return returning < 10 ? 0 : Double(returning) / users(area, area)
    }
    for user in 0..<40 {
      let predictions = found.predictions(ofUser: user, halfPlace: halfPlace)
      for area in 0..<3 {
        // The two neighbors of an area, and the solution of a system of two equations.
        let (one, other) = ((area + 1) % 3, (area + 2) % 3)
        try #require(users(area, one) >= 10 && users(area, other) >= 10 && users(one, other) >= 10)
        let (a, b, d) = (users(one, one) + 30, users(one, other), users(other, other) + 30)
        let determinant = a * d - b * b
        let coefficients = [
          one: (d * users(one, area) - b * users(other, area)) / determinant,
          other: (a * users(other, area) - b * users(one, area)) / determinant, area: returns[area],
        ]
        let expected = own[user].enumerated().reduce(0.0) { sum, like in
          sum + (halfPlace.map { pow(2, -Double(like.offset) / $0) } ?? 1)
            * (coefficients[like.element] ?? .nan)
        }
        // Sums are in single precision.
        #expect(abs(Double(predictions[area]) - max(expected, 0)) < 1e-5)
      }
    }
  }

  /// Each of nine or ten users likes two candidates in area 0 and one candidate in area 1.
  @Test(arguments: [9, 10])
  func `fewer than ten users have no effect on the predictions`(users: Int) {
    let liked = LikesByHand.liked(Array(repeating: [0, 1, 2], count: users) + [[2], [0]], candidates: 7)
    let areas = LikedAreas(liked, Self.positions, precision: 4, threads: 1)
    let (ofOther, ofOwn) = (
      areas.predictions(ofUser: users, halfPlace: nil), areas.predictions(ofUser: users + 1, halfPlace: nil)
    )
    #expect(ofOther[2] == 0 && ofOwn[2] == 0)
    #expect((ofOther[0] > 0) == (users == 10))
    #expect((ofOwn[0] > 0) == (users == 10))
  }

  @Test
  func `popularity by area equals the definition, also for a user without likes`() {
    let liked = LikesByHand.liked(Array(repeating: [0, 1, 2, 6], count: 12) + [[]], candidates: 7)
    let popularity = TrendingPopularity(liked, halfLife: nil, asOf: 0)
    let areas = LikedAreas(liked, Self.positions, precision: 4, threads: 1)
    let local = LocalPopularity(areas, popularity)
    let newcomer = local.values(areas.predictions(ofUser: 12, halfPlace: nil))
    #expect(newcomer == popularity.values)
    let predictions = areas.predictions(ofUser: 0, halfPlace: nil)
    let values = local.values(predictions)
    for candidate in 0..<6 {
      let area = candidate / 2
      let all = popularity.values[2 * area] + popularity.values[2 * area + 1]
      let share = popularity.values[candidate] / all
      let expected = popularity.values[candidate] / 4 + 0.75 * predictions[area] * share
      #expect(abs(values[candidate] - expected) < 1e-6)
    }
    #expect(values[6] == popularity.values[6] && predictions[0] > 0)
  }
}

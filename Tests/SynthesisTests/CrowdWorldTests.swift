import Concurrency
import Foundation
import Testing

@testable import Synthesis

@Suite struct `The world of a crowd` {
  /// In the smallest worlds, users have soon seen all people of their city. Then they see the
  /// people of the neighboring cities, and finally all people.
  @Test(arguments: 0..<60 as Range<UInt64>)
  func `is complete at any size`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let users = 20 + generator.nextIndex(below: seed % 3 == 0 ? 400 : 60)
    let perUser = seed % 2 == 0 ? users / 8 : 1 + generator.nextIndex(below: users / 8)
    let crowd = try ParsedCrowd(users: users, swipesPerUser: perUser, seed: seed)
    #expect(crowd.ids.count == users && Set(crowd.ids).count == users)
    #expect(crowd.ids == crowd.ids.sorted())
    #expect(crowd.swipes.count == users * perUser)
    #expect(crowd.swipes.allSatisfy { crowd.users[$0.swiper] != nil && crowd.users[$0.target] != nil })
    #expect(crowd.swipes.allSatisfy { $0.swiper != $0.target })
    #expect(crowd.swipes.allSatisfy { ("2025-09-03".midnight..<"2026-01-01".midnight).contains($0.at) })
    #expect(zip(crowd.swipes, crowd.swipes.dropFirst()).allSatisfy { $0.at <= $1.at })
    #expect(crowd.users.values.allSatisfy { $0.updated < "2025-09-03".midnight })
    let summary = crowd.summary
    #expect(summary.users == users && summary.swipes == crowd.swipes.count)
    #expect(summary.likes == crowd.swipes.count { $0.isLike })
    #expect(ParsedExport.seconds(summary.newestSwipe) == crowd.swipes.last?.at)
    #expect(summary.usersWithoutSwipes == users - Set(crowd.swipes.map(\.swiper)).count)
  }

  @Test func `has attributes in their ranges, with all their values`() throws {
    let users = try ParsedCrowd.town.get().users.values
    #expect(users.allSatisfy { (36...56).contains($0.latitude) && (-11...24).contains($0.longitude) })
    #expect(users.allSatisfy { (1...5).contains($0.rating) && (18...75).contains($0.age) })
    #expect(Set(users.map(\.field)) == Set(CrowdPerson.fields))
    #expect(Set(users.map(\.rating)).count > 30 && Set(users.map(\.age)).count > 40)
  }

  /// By Zipf's law, the largest of 400 cities has 1 / (1 + 1/2 + ... + 1/400) = 15 % of the people.
  /// The first ten cities have 45 %.
  @Test func `has cities whose sizes follow Zipf's law`() {
    let crowd = Crowd(users: 60_000, seed: 3, threads: 2)
    let sizes = crowd.cities.indices.map { crowd.population(of: $0) }
    #expect(sizes.reduce(0, +) == 60_000)
    let whole = (1...CrowdCity.count).reduce(0) { $0 + 1 / Double($1) }
    for rank in [1, 2, 3, 10, 30, 100] {
      let expected = 60_000 / Double(rank) / whole
      #expect(abs(Double(sizes[rank - 1]) - expected) < 5 * expected.squareRoot(), "city \(rank)")
    }
    #expect(sizes.suffix(200).reduce(0, +) < sizes[0])
  }

  @Test func `has people with many, few and no swipes, with the right total`() {
    let activity = CrowdActivity(users: 50_000, perUser: 20, seed: 4, threads: 2)
    let counts = (0..<activity.chunks).flatMap { activity.counts(ofChunk: $0) }
    #expect(counts.count == 50_000 && counts.reduce(0, +) == 1_000_000)
    let sorted = counts.sorted(by: >)
    // A tenth of the people make more than a third of the swipes. The median is well below the
    // mean.
    #expect(sorted.prefix(5000).reduce(0, +) > 333_333)
    #expect(sorted[25_000] < 16 && sorted[0] > 150)
    #expect((1500...2800).contains(counts.count { $0 == 0 }))
  }

  @Test func `shows mostly nearby people, and no person twice`() throws {
    let crowd = try ParsedCrowd.town.get()
    let distances = crowd.swipes.map { crowd.distance($0.swiper, $0.target) }
    let total = Double(distances.count)
    // The generator aims for 84 % of swipes in the own city and 4 % anywhere. The people of a small
    // city are soon exhausted.
    #expect(Double(distances.count { $0 < 60 }) > 0.6 * total)
    #expect(Double(distances.count { $0 > 500 }) < 0.2 * total)
    #expect(distances.contains { $0 > 1000 })
    let pairs = Set(crowd.swipes.map { $0.swiper + $0.target })
    // A user who has seen all people of a small city and its neighbors may see a person again.
    #expect(Double(pairs.count) > 0.995 * total)
  }

  @Test(arguments: CrowdTargets.primes) func `steps by primes`(prime: Int) {
    #expect(prime > CrowdExport.mostUsers)
    #expect(
      !stride(from: 2, through: Int(Double(prime).squareRoot()) + 1, by: 1).contains { prime % $0 == 0 })
  }

  @Test func `has preferences for fields, ratings and neighbors`() throws {
    let crowd = try ParsedCrowd.town.get()
    #expect((0.35...0.55).contains(Double(crowd.summary.likes) / Double(crowd.summary.swipes)))
    func rate(_ isIncluded: (ParsedCrowd.Swipe) -> Bool) -> Double {
      let swipes = crowd.swipes.filter(isIncluded)
      return Double(swipes.count { $0.isLike }) / Double(max(1, swipes.count))
    }
    let rating = { (swipe: ParsedCrowd.Swipe) in crowd.users[swipe.target]?.rating ?? .nan }
    #expect(rate { rating($0) > 4 } > rate { rating($0) < 2.8 } + 0.1)
    #expect(
      rate { crowd.distance($0.swiper, $0.target) < 20 }
        > rate { crowd.distance($0.swiper, $0.target) > 200 } + 0.1)
    // A user's rates differ between fields far more than by chance. Two swipes of a user agree more
    // often on people of the same field than of different fields.
    var same = (agree: 0, all: 0)
    var other = same
    for swipes in Dictionary(grouping: crowd.swipes, by: \.swiper).values {
      for (first, second) in zip(swipes, swipes.dropFirst()) {
        let agree = first.isLike == second.isLike ? 1 : 0
        if crowd.users[first.target]?.field == crowd.users[second.target]?.field {
          same = (same.agree + agree, same.all + 1)
        } else {
          other = (other.agree + agree, other.all + 1)
        }
      }
    }
    #expect(Double(same.agree) / Double(same.all) > Double(other.agree) / Double(other.all) + 0.05)
  }
}

extension String {
  /// Midnight of a date, in seconds since 1970.
  fileprivate var midnight: Double { ParsedExport.seconds(self + "T00:00:00Z") ?? .nan }
}

import Foundation
import Synthesis
import Testing

/// Tests the default export. The shares and rates were measured with the seeds 1 to 5 and 42.
@Suite struct `The people and swipes of an export` {
  let export: ParsedExport

  init() throws {
    export = try ParsedExport.standard.get()
  }

  @Test func `have about four likes in ten swipes`() throws {
    // The measured rates are 0.41 to 0.44.
    let rate = try #require(export.summary.likeRate)
    #expect((0.38...0.47).contains(rate))
  }

  @Test func `have their shares of rare circumstances`() {
    #expect(export.summary.usersWithoutPosition == 30)
    #expect(export.summary.deletedUsers == 40)
    #expect(export.summary.usersWithoutSwipes == 120)
    #expect((60...140).contains(export.summary.usersWithoutExperience))
    let answers = Double(export.summary.answers) / Double(export.summary.swipes)
    #expect((0.2...0.3).contains(answers))
    #expect((150...500).contains(export.summary.changesOfMind))
    #expect(export.summary.matches >= 500)
  }

  @Test func `have unequal activity`() {
    let counts = Dictionary(grouping: export.swipes, by: \.swiper).mapValues(\.count).values
    #expect(counts.count { $0 == 1 } >= 20)
    #expect(counts.count { (5...30).contains($0) } >= 800)
    #expect(counts.count { $0 > 200 } >= 15)
  }

  @Test func `include people who like every person and people who like no one`() {
    let bySwiper = Dictionary(grouping: export.swipes, by: \.swiper).values.filter { $0.count >= 4 }
    #expect(bySwiper.count { $0.allSatisfy(\.isLike) } >= 20)
    #expect(bySwiper.count { !$0.contains(where: \.isLike) } >= 20)
  }

  @Test func `are in time order within 120 days`() throws {
    let first = try #require(export.swipes.first).at
    let last = try #require(export.swipes.last).at
    #expect(zip(export.swipes, export.swipes.dropFirst()).allSatisfy { $0.at <= $1.at })
    #expect(export.swipes.dropLast().allSatisfy { $0.at < last })
    #expect(last - first < 120 * 86_400)
    #expect(last - first > 118 * 86_400)
  }

  @Test func `have written times with and without milliseconds`() {
    let fractions = export.swipes.count { $0.at != $0.at.rounded() }
    #expect((0.15...0.45).contains(Double(fractions) / Double(export.swipes.count)))
  }

  @Test func `happen after both accounts are created and before either is deleted`() throws {
    for swipe in export.swipes {
      for id in [swipe.swiper, swipe.target] {
        let user = try #require(export.users[id])
        #expect(user.createdAt <= swipe.at)
        if user.isDeleted { #expect(swipe.at < user.updatedAt) }
      }
    }
  }

  @Test func `have profiles that are older than the newest swipe`() throws {
    let newest = try #require(export.swipes.last).at
    for user in export.users.values {
      #expect(user.createdAt <= user.updatedAt)
      #expect(user.updatedAt < newest)
    }
  }

  @Test func `follow the times of day and the week`() {
    var hours = Array(repeating: 0, count: 24)
    var weekdays = Array(repeating: 0, count: 7)
    for swipe in export.swipes {
      hours[Int(swipe.at) / 3600 % 24] += 1
      weekdays[(Int(swipe.at) / 86_400 + 3) % 7] += 1
    }
    let evening = hours[18...20].reduce(0, +)
    let morning = hours[8...10].reduce(0, +)
    let night = hours[1...4].reduce(0, +)
    #expect(evening > morning * 3 / 2)
    #expect(morning > 3 * night)
    #expect(weekdays[1] > weekdays[5] * 5 / 4)
  }

  @Test func `are mostly, but not always, within 500 km of each other`() {
    var near = 0
    var all = 0
    for swipe in export.swipes {
      guard let distance = distanceInKilometers(swipe.swiper, swipe.target) else { continue }
      all += 1
      if distance <= 500 { near += 1 }
    }
    // The measured shares are 0.84 to 0.87.
    #expect((0.75...0.95).contains(Double(near) / Double(all)))
  }

  @Test func `include people with hardly any others within 500 km`() {
    let located = export.users.values.filter { $0.latitude != nil }.map(\.id).sorted()
    let lonely = located.count { id in
      located.count { (distanceInKilometers(id, $0) ?? .infinity) <= 500 } - 1 < 10
    }
    // The measured numbers are 13 to 21 of 2 000.
    #expect((3...60).contains(lonely))
  }

  @Test func `have unevenly popular fields, three roles and realistic names`() {
    let fields = Dictionary(grouping: export.users.values, by: \.businessField).mapValues(\.count)
    #expect(fields.count == 12)
    #expect((fields.values.max() ?? 0) > 5 * (fields.values.min() ?? 0))
    #expect(Set(export.users.values.map(\.role)) == ["entrepreneur", "investor", "professional"])
    #expect(export.users.values.allSatisfy { (0...45).contains($0.experience ?? 0) })
    for part in ["O'", ", PhD", "\"", "\u{301}", "ł", "Γ"] {
      let bytes = Array(part.utf8)
      #expect(export.fullNames.contains { Array($0.utf8).contains(bytes) }, "no name has \(part)")
    }
  }

  /// Learns each person's smoothed like rate per candidate field from the first 70 % of swipes by
  /// time, and tests it on the rest. The measured AUC is 0.587 to 0.604, and chance is 0.5. The
  /// rate per field over all people has an AUC of 0.55 to 0.59.
  @Test func `can be learned from: a person's rate per field predicts later swipes`() throws {
    struct Rate {
      var likes = 0.0
      var all = 0.0
      func smoothed(towards base: Double) -> Double { (likes + 2 * base) / (all + 2) }
    }
    let cut = export.swipes.count * 7 / 10
    var byUser: [String: Rate] = [:]
    var byField: [[String]: Rate] = [:]
    for swipe in export.swipes[..<cut] {
      let field = try #require(export.users[swipe.target]).businessField
      byUser[swipe.swiper, default: Rate()].likes += swipe.isLike ? 1 : 0
      byUser[swipe.swiper, default: Rate()].all += 1
      byField[[swipe.swiper, field], default: Rate()].likes += swipe.isLike ? 1 : 0
      byField[[swipe.swiper, field], default: Rate()].all += 1
    }
    var predictions: [String: [(score: Double, isLike: Bool)]] = [:]
    for swipe in export.swipes[cut...] {
      let field = try #require(export.users[swipe.target]).businessField
      let base = (byUser[swipe.swiper] ?? Rate()).smoothed(towards: 0.5)
      let score = (byField[[swipe.swiper, field]] ?? Rate()).smoothed(towards: base)
      predictions[swipe.swiper, default: []].append((score, swipe.isLike))
    }
    let areas = predictions.values.compactMap(areaUnderCurve)
    #expect(areas.count > 700)
    #expect(areas.reduce(0, +) / Double(areas.count) > 0.575)
  }

  private func areaUnderCurve(_ predictions: [(score: Double, isLike: Bool)]) -> Double? {
    let likes = predictions.filter(\.isLike).map(\.score)
    let passes = predictions.filter { !$0.isLike }.map(\.score)
    guard !likes.isEmpty, !passes.isEmpty else { return nil }
    var wins = 0.0
    for like in likes { for pass in passes { wins += like > pass ? 1 : like == pass ? 0.5 : 0 } }
    return wins / Double(likes.count * passes.count)
  }

  private func distanceInKilometers(_ first: String, _ second: String) -> Double? {
    guard let from = export.users[first], let to = export.users[second], let latitude = from.latitude,
      let longitude = from.longitude, let otherLatitude = to.latitude, let otherLongitude = to.longitude
    else { return nil }
    let radian = Double.pi / 180
    let cosine =
      sin(latitude * radian) * sin(otherLatitude * radian) + cos(latitude * radian)
      * cos(otherLatitude * radian) * cos((otherLongitude - longitude) * radian)
    return 6371.0088 * acos(min(1, max(-1, cosine)))
  }
}

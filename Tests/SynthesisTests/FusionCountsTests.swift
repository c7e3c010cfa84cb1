import Foundation
import Synthesis
import Testing

struct ExportSize: CustomTestStringConvertible, Sendable {
  var users: Int
  var swipes: Int
  var seed: UInt64
  var testDescription: String { "\(users) users, \(swipes) swipes, seed \(seed)" }
}

@Suite struct `The summary of an export` {
  static let sizes = [
    ExportSize(users: 2000, swipes: 60_000, seed: 42), ExportSize(users: 2000, swipes: 60_000, seed: 7),
    ExportSize(users: 20, swipes: 40, seed: 1), ExportSize(users: 20, swipes: 50, seed: 2),
    ExportSize(users: 21, swipes: 55, seed: 3), ExportSize(users: 100, swipes: 1250, seed: 4),
    ExportSize(users: 2000, swipes: 4000, seed: 5), ExportSize(users: 400, swipes: 20_000, seed: 6),
    ExportSize(users: 9500, swipes: 30_000, seed: 8),
  ]

  @Test(arguments: sizes)
  func `equals another parser's counts`(size: ExportSize) throws {
    let export =
      try size.users == 2000 && size.seed == 42
      ? ParsedExport.standard.get()
      : ParsedExport(users: size.users, swipes: size.swipes, seed: size.seed)
    let summary = export.summary
    func named(_ counts: [BrokenRule: Int]) -> [String: Int] {
      Dictionary(uniqueKeysWithValues: counts.map { ($0.key.rawValue, $0.value) })
    }
    #expect(export.documents == summary.documents)
    #expect(export.documentIDs.count == summary.users)
    #expect(summary.users == size.users)
    #expect(export.rows == size.swipes)
    #expect(summary.swipes == size.swipes)
    #expect(export.usersBreaking == named(summary.usersBreaking))
    #expect(export.swipesBreaking == named(summary.swipesBreaking))
    #expect(export.ambiguousRows.isEmpty)
    #expect(export.rejectedIDs.count == summary.usersBreaking.rejected)
    #expect(export.users.count == summary.validUsers)
    #expect(export.users.values.count { $0.latitude == nil } == summary.usersWithoutPosition)
    #expect(export.users.values.count(where: \.isDeleted) == summary.deletedUsers)
    #expect(export.users.values.count { $0.experience == nil } == summary.usersWithoutExperience)
    #expect(export.swipes.count(where: \.isLike) == summary.likes)
    #expect(export.swipes.count { !$0.isLike } == summary.passes)
    #expect(export.swipes.count == size.swipes - summary.swipesBreaking.rejected)
    let active = Set(export.swipes.map(\.swiper))
    #expect(export.users.keys.count { !active.contains($0) } == summary.usersWithoutSwipes)
    #expect(export.swipes.last?.at == Double(summary.newestSwipeInMilliseconds) / 1000)
    #expect(summary.newestSwipe == "2026-11-15T23:41:07Z")
    // The pipeline's limit is 1 % of each source.
    #expect(Double(summary.usersBreaking.rejected) < 0.005 * Double(summary.documents))
    #expect(Double(summary.swipesBreaking.rejected) < 0.008 * Double(summary.swipes))
    for duplicate in summary.duplicates {
      #expect(export.users[duplicate.id]?.businessField == duplicate.businessField)
    }
    #expect(summary.duplicates.count == summary.usersBreaking[.duplicateID] ?? 0)
  }

  @Test func `has every planted kind in its number at the default size`() throws {
    let summary = try ParsedExport.standard.get().summary
    #expect(
      summary.usersBreaking == [
        .badLatitude: 3, .badLongitude: 1, .badNumber: 2, .badTime: 1, .duplicateID: 6,
      ])
    // The rejected people have 0, 1, 2, 3, 0, 1 and 2 rows. They are the target in 6 of these rows
    // and the swiper in 3.
    #expect(
      summary.swipesBreaking == [
        .unknownCandidate: 12 + 6, .unknownUser: 8 + 3, .selfInteraction: 6, .badTime: 6, .unknownValue: 8,
        .missingID: 9, .wrongFieldCount: 3,
      ])
    let ofOthers: Set<BrokenRule> = [
      .missingAttribute, .missingPosition, .unknownOwner, .badIntervals, .valueOutOfRange, .unknownName,
      .badDate, .dateTooEarly, .dateInFuture,
    ]
    let planted = Set(summary.usersBreaking.keys).union(summary.swipesBreaking.keys)
    #expect(planted == Set(BrokenRule.allCases).subtracting(ofOthers))
    #expect(summary.duplicates.count(where: \.isTie) == 1)
    #expect(summary.usersBreaking.rejected == 7)
    #expect(summary.swipesBreaking.rejected == 61)
  }

  @Test func `names every rejected person in at most three rows`() throws {
    let export = try ParsedExport.standard.get()
    #expect(export.rowsNamingRejected.values.allSatisfy { $0 <= 3 })
    #expect(export.rowsNamingRejected.values.reduce(0, +) == 9)
  }

  @Test func `counts changes of mind, answers and matches as in the rows`() throws {
    let export = try ParsedExport.standard.get()
    struct Pair: Hashable { var swiper: String, target: String }
    var latest: [Pair: ParsedExport.Swipe] = [:]
    var changes = 0
    var answers = 0
    for swipe in export.swipes {
      let pair = Pair(swiper: swipe.swiper, target: swipe.target)
      if let earlier = latest[pair] {
        changes += 1
        #expect(earlier.isLike != swipe.isLike)
        #expect(swipe.at - earlier.at >= 3600)
      } else if latest[Pair(swiper: swipe.target, target: swipe.swiper)] != nil {
        answers += 1
      }
      latest[pair] = swipe
    }
    let matches = latest.count {
      $0.key.swiper < $0.key.target && $0.value.isLike
        && latest[Pair(swiper: $0.key.target, target: $0.key.swiper)]?.isLike == true
    }
    #expect(changes == export.summary.changesOfMind)
    #expect(answers == export.summary.answers)
    #expect(matches == export.summary.matches)
    #expect(latest.count + changes == export.swipes.count)
  }

  @Test func `round-trips through JSON`() throws {
    let summary = try ParsedExport.standard.get().summary
    let data = try JSONEncoder().encode(summary)
    #expect(try JSONDecoder().decode(FusionSummary.self, from: data) == summary)
    #expect(String(decoding: data, as: UTF8.self).contains("\"bad_latitude\":3"))
  }

  @Test func `is printed as a few lines`() throws {
    let text = try ParsedExport.standard.get().summary.description
    #expect(text.contains("users.json   2006 documents of 2000 users"))
    #expect(
      text.contains(
        "broken on purpose: bad_latitude 3, bad_longitude 1, bad_number 2, bad_time 1, duplicate_id 6\n"))
    #expect(text.contains("swipes.csv   60000 swipes"))
  }
}

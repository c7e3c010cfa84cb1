import Columns
import Concurrency
import Files
import IngestFixture
import RunSchemas
import Testing
import TestSupport
import Text

@testable import Ingest

@Suite struct AccountingTests {
  /// Returns two random exports with rows of every kind. At least `plain` likes are valid.
  private func exports(seed: UInt64, plain: Int = 0) -> (people: String, likes: String) {
    var random = SplitMix64(seed: seed)
    func pick(_ values: [String]) -> String { values.randomElement(using: &random) ?? "" }
    let ids = ["a", "b", "c", "d", "e", "f", "A", "é", "\"g,h\"", ""]
    var people = (0..<Int.random(in: 0...40, using: &random)).map { _ in
      pick(ids) + "," + pick(["", "", "10", "60", "x"]) + "," + pick(["", "5", "70", "2020-01-01"]) + ","
        + pick(["", "", "1", "90", "91"]) + "," + pick(["", "", "1", "-180", "x"]) + ","
        + pick(["", "f", "g"]) + ","
        + pick(["", "1", "x"]) + "," + pick(["", "true", "?"]) + "," + pick(["", "\"multi\nline\""])
        + pick(["", "", "", ",x"])
    }
    var likes = (0..<Int.random(in: 0...80, using: &random)).map { _ in
      pick(ids + ["z"]) + "," + pick(ids) + "," + pick(["1", "2", "50", "51", "x", ""]) + ","
        + pick(["yes", "no", "yes", "perhaps", ""]) + pick(["", "", "", ",x"])
    }
    if plain > 0 { people += ids.filter { !$0.isEmpty }.map { $0 + ",,,,,,,," } }
    for number in 0..<plain {
      let (one, other) = (number % 9, (number % 9 + 1 + number / 9 % 8) % 9)
      likes.append("\(ids[one]),\(ids[other]),\(pick(["1", "2", "50"])),\(pick(["yes", "no"]))")
    }
    people.shuffle(using: &random)
    likes.shuffle(using: &random)
    return (people.map { $0 + "\n" }.joined(), likes.map { $0 + "\n" }.joined())
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `every row read is kept, rejected, merged or later`(seed: UInt64) throws {
    let (people, likes) = exports(seed: seed)
    let night = try Night(people: people, likes: likes, asOf: Instant(milliseconds: 50))
    #expect(night.isBalanced)
    let rejects = try night.rejects()
    for (source, text) in [("people", Night.peopleHeader + people), ("likes", Night.likesHeader + likes)] {
      let accounts = night.accounts(source)
      #expect(accounts[0] == plainCSV(Array(text.utf8)).count - 1)
      let reported = rejects.filter { $0[0] == source + ".csv" }
      #expect(reported.count == accounts[2] + accounts[3])
      #expect(reported.count { $0[4] == "duplicate_id" } == accounts[3])
      let numbers = reported.compactMap { Int($0[2]) }
      #expect(numbers == numbers.sorted())
      #expect(Set(numbers).count == numbers.count, "a row is reported once")
    }
    let snapshot = try night.snapshot()
    #expect(snapshot.entities["people"]?.count == night.accounts("people")[1])
    #expect(snapshot.interactions["likes"]?.count == night.accounts("likes")[1])
  }

  @Test(arguments: 0..<12 as Range<UInt64>)
  func `the groupings equal a naive implementation`(seed: UInt64) throws {
    let (people, likes) = exports(seed: seed, plain: 200)
    let snapshot = try Night(people: people, likes: likes, asOf: Instant(milliseconds: 50)).snapshot()
    let table = try #require(snapshot.entities["people"])
    let ids = (0..<table.count).map { Array(copying: table.ids.bytes($0)) }
    #expect(zip(ids, ids.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })

    // An independent parser computes the rows that ingest must keep.
    var expected: [(user: Int, time: Int64, order: Int, candidate: Int, value: Double)] = []
    for (order, row) in plainCSV(Array(likes.utf8)).enumerated() where row.count == 4 {
      guard let user = ids.firstIndex(of: row[0]), let candidate = ids.firstIndex(of: row[1]),
        user != candidate,
        let time = Int64(String(decoding: row[2], as: UTF8.self)), time <= 50
      else { continue }
      switch String(decoding: row[3], as: UTF8.self) {
      case "yes": expected.append((user, time, order, candidate, 1))
      case "no": expected.append((user, time, order, candidate, -1))
      default: continue
      }
    }
    expected.sort { ($0.user, $0.time, $0.order) < ($1.user, $1.time, $1.order) }
    try #require(expected.count > 50 && ids.count > 4, "\(expected.count) of \(ids.count)")
    let interactions = try #require(snapshot.interactions["likes"])
    #expect(interactions.user.elements.map(Int.init) == expected.map(\.user))
    #expect(interactions.candidate.elements.map(Int.init) == expected.map(\.candidate))
    #expect(interactions.at.elements == expected.map(\.time))
    #expect(interactions.value.elements == expected.map(\.value))
    for person in ids.indices {
      #expect(
        Array(interactions.range(ofUser: person)) == expected.indices.filter { expected[$0].user == person })
      let received = interactions.range(ofCandidate: person).map { Int(interactions.byCandidate[$0]) }
      #expect(received == expected.indices.filter { expected[$0].candidate == person })
    }
    #expect(interactions.userOffsets.count == ids.count + 1)
    #expect(interactions.candidateOffsets.count == ids.count + 1)
  }

  @Test(arguments: 0..<3 as Range<UInt64>)
  func `equal inputs give equal bytes`(seed: UInt64) throws {
    let (people, likes) = exports(seed: seed)
    let nights = try (0..<2).map { _ in
      try Night(people: people, likes: likes, asOf: Instant(milliseconds: 50))
    }
    #expect(nights[0].manifest.json == nights[1].manifest.json)
    for file in nights[0].scratch.files {
      #expect(try nights[0].scratch.bytes(file) == nights[1].scratch.bytes(file), "\(file)")
    }
  }
}

@Suite struct GroupingTests {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `groups equal a filter`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let count = Int.random(in: 1...20, using: &random)
    let keys = (0..<Int.random(in: 0...200, using: &random)).map { _ in
      UInt32.random(in: 0..<UInt32(count), using: &random)
    }
    let grouping = Grouping(keys, count: count)
    for key in 0..<count {
      let members = grouping.members[Int(grouping.offsets[key])..<Int(grouping.offsets[key + 1])]
      #expect(members.map(Int.init) == keys.indices.filter { keys[$0] == UInt32(key) })
    }
  }

  @Test func `there may be no keys and no groups`() {
    #expect(Grouping([], count: 0).offsets == [0])
    #expect(Grouping([], count: 2).offsets == [0, 0, 0])
  }
}

@Suite struct IdentityTableTests {
  @Test func `twenty thousand ids are found as in a dictionary`() {
    var random = SplitMix64(seed: 20)
    var table = IdentityTable()
    var dictionary: [[UInt8]: Int] = [:]
    func id() -> [UInt8] {
      (0..<Int.random(in: 0...4, using: &random)).map { _ in UInt8.random(in: 0...150, using: &random) }
    }
    var wrong = 0
    for _ in 0..<40_000 {
      let id = id()
      let expected = dictionary[id] ?? dictionary.count
      dictionary[id] = expected
      if table.insert(id.span) != expected { wrong += 1 }
    }
    for (id, number) in dictionary where table.number(of: id.span) != number || table[number] != id {
      wrong += 1
    }
    for _ in 0..<5000 where table.number(of: (id() + [200]).span) != nil { wrong += 1 }
    #expect(wrong == 0)
    #expect(dictionary.count > 20_000)
    #expect(table.count == dictionary.count)
  }

  @Test func `an empty table finds no ids`() {
    let table = IdentityTable()
    #expect(table.count == 0)
    #expect(table.number(of: [UInt8]().span) == nil)
  }
}

import Concurrency
import Testing

@testable import Ingest

@Suite struct DenseIdentityTests {
  /// Returns the table of the ids `ids`, which may be in any order.
  private func ranked(_ ids: [String]) -> RankedIdentities {
    var table = IdentityTable()
    for id in ids { _ = table.insert(Array(id.utf8).span) }
    return table.ranked()
  }

  private func isDense(_ ids: [String]) -> Bool {
    let sorted = ids.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
    var ends = [0]
    for id in sorted { ends.append(ends[ends.count - 1] + id.count) }
    let bytes = sorted.flatMap(\.self)
    return DenseIdentities(bytes.span, ends: ends.span) != nil
  }

  private func rank(of id: String, in ids: RankedIdentities) -> UInt32? {
    let text = Array(id.utf8)
    let key = IdentityKey(text.span)
    let rank = ids.withTable { ids.rank(of: key, from: ids.search(key), in: $0, 0, of: text.span) }
    return rank == IdentitySlots.empty ? nil : rank
  }

  private func padded(_ number: Int, _ length: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, length - digits.count)) + digits
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `numeric ids have the ranks of their bytes`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let prefix = ["", "u", "usr", "7", "é", "a-", "000"].randomElement(using: &random) ?? ""
    let digits = Int.random(in: 1...8 - prefix.utf8.count, using: &random)
    let most = (0..<digits).reduce(1) { count, _ in count * 10 }
    let least = Int.random(in: 0..<most, using: &random)
    // Three of four cases omit some numbers.
    let isComplete = seed % 4 == 0
    let numbers = (least..<min(most, least + 300)).filter { _ in
      isComplete || Int.random(in: 0..<3, using: &random) > 0
    }
    let ids = (numbers.isEmpty ? [least] : numbers).map { prefix + padded($0, digits) }
    if ids.count >= 8 { #expect(isDense(ids)) }
    let ranked = ranked(ids.shuffled(using: &random))
    let order = ids.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
    for (place, id) in order.enumerated() {
      #expect(rank(of: id, in: ranked) == UInt32(place), "\(id)")
    }

    let known = Set(ids)
    let others =
      [least - 1, least + 300, 0, most - 1].filter { (0..<most).contains($0) }.map {
        prefix + padded($0, digits)
      }
      + (0..<200).map { _ in
        // The changed id differs in one byte.
        var bytes = Array((ids.randomElement(using: &random) ?? "").utf8)
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 1...126, using: &random)
        return String(decoding: bytes, as: UTF8.self)
      } + ["", "x", prefix, ids[0] + "0", "0" + ids[0], String(ids[0].dropLast()), ids[0] + "\0"]
    for id in others {
      let expected = known.contains(id) ? order.firstIndex(of: id).map(UInt32.init) : nil
      #expect(rank(of: id, in: ranked) == expected, "\(id.debugDescription)")
    }
  }

  @Test(arguments: [
    ["1", "22"], ["a1", "a/"], ["a1", "a:"], ["000000001", "000000002"], ["1", "9", "é"], ["00", "99"],
    ["\u{1}", "\u{2}"], ["a\0", "b\0"], [], [""], ["ab", "cd"],
  ])
  func `other ids are found too`(ids: [String]) {
    #expect(!isDense(ids))
    let ranked = ranked(ids)
    for (place, id) in ids.sorted().enumerated() { #expect(rank(of: id, in: ranked) == UInt32(place)) }
    #expect(rank(of: "0", in: ranked) == nil)
  }

  @Test func `a single id is found`() {
    let ranked = ranked(["u7"])
    #expect(rank(of: "u7", in: ranked) == 0)
    #expect(rank(of: "u8", in: ranked) == nil)
    #expect(rank(of: "v7", in: ranked) == nil)
  }
}

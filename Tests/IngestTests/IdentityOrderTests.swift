import Concurrency
import Testing

@testable import Ingest

@Suite struct IdentityOrderTests {
  /// Returns ids that are close in byte order: prefixes of each other, ids with zero bytes, and ids
  /// longer than eight bytes.
  private func ids(_ random: inout SplitMix64) -> [[UInt8]] {
    let pieces: [[UInt8]] = [[0], [1], [255], Array("a".utf8), Array("eightbyt".utf8), Array("é".utf8)]
    let all = (0..<200).map { _ in
      (0..<Int.random(in: 1...4, using: &random)).flatMap { _ in pieces.randomElement(using: &random) ?? [] }
    }
    return Array(Set(all))
  }

  /// Inserts ids, some of them several times, and compares the table's numbers and ranks with a dictionary's.
  private func check(_ ids: [[UInt8]], _ random: inout SplitMix64) {
    var table = IdentityTable()
    var numbers: [[UInt8]: Int] = [:]
    for id in ids {
      #expect(table.number(of: id.span) == nil)
      numbers[id] = numbers.count
      #expect(table.insert(id.span) == numbers[id])
      if Int.random(in: 0..<20, using: &random) == 0, let known = numbers.keys.randomElement(using: &random) {
        #expect(table.insert(known.span) == numbers[known])
      }
    }
    #expect(table.all == ids)
    for id in ids { #expect(table.number(of: id.span) == numbers[id]) }
    let ranked = table.ranked()
    let sorted = ids.sorted { $0.lexicographicallyPrecedes($1) }
    #expect(ranked.numbers == sorted.compactMap { numbers[$0].map { UInt32($0) } })
    for (rank, id) in sorted.enumerated() { #expect(ranked.id(number: numbers[id] ?? -1) == sorted[rank]) }
    let lookup = IdentityLookup(ranked)
    for (rank, id) in sorted.enumerated() { #expect(lookup.rank(of: id.span) == UInt32(rank)) }
    #expect(lookup.rank(of: Array("nobody".utf8).span) == nil)
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `ids in any order are numbered as in a dictionary`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    check(ids(&random), &random)
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `ids in order, with at most one exception, are numbered as in a dictionary`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var sorted = ids(&random).sorted { $0.lexicographicallyPrecedes($1) }
    check(sorted, &random)
    sorted.swapAt(
      Int.random(in: sorted.indices, using: &random), Int.random(in: sorted.indices, using: &random))
    check(sorted, &random)
  }
}

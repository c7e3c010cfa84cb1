import Concurrency
import Readers
import Testing

@testable import Ingest

@Suite struct RowPackingTests {
  private typealias Row = (at: Int64, candidate: UInt32, place: UInt16, code: UInt8)

  private func packing(of rows: [Row]) -> RowPacking {
    var extent = RowPacking.Extent()
    for row in rows { extent.add(at: row.at, candidate: row.candidate, place: row.place, code: row.code) }
    return RowPacking(extent, times: rows.map(\.at))
  }

  @Test(arguments: 0..<60 as Range<UInt64>)
  func `all values round-trip`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let unit: Int64 = seed % 2 == 0 ? 1 : 1000
    let candidates = UInt32.max >> UInt32.random(in: 0...31, using: &random)
    let places = UInt16.max >> UInt16.random(in: 0...15, using: &random)
    let codes = UInt8.max >> UInt8.random(in: 0...8, using: &random)
    let length = Int64.max >> Int64.random(in: 10...62, using: &random)
    let oldest = Int64.random(in: -62_135_596_800_000...200_000_000_000_000, using: &random)
    let rows: [Row] = (0..<100).map { _ in
      (
        oldest + unit * (Int64.random(in: 0...length, using: &random) / unit),
        .random(in: 0...candidates, using: &random), .random(in: 0...places, using: &random),
        .random(in: 0...codes, using: &random)
      )
    }
    let packing = packing(of: rows)
    for row in rows {
      let word = packing.packed(at: row.at, candidate: row.candidate, place: row.place, code: row.code)
      #expect(packing.candidate(word) == row.candidate)
      #expect(packing.place(word) == row.place)
      #expect(packing.code(word) == row.code)
      if packing.hasTimes { #expect(packing.time(word) == row.at) }
    }
  }

  @Test func `times use the remaining bits, in seconds if needed`() {
    // The other fields need 32 + 12 + 1 bits, so 19 bits remain for the time.
    func fits(_ times: [Int64]) -> Bool {
      packing(of: times.map { ($0, .max, 4095, 1) }).hasTimes
    }
    let most: Int64 = 1 << 19 - 1
    #expect(fits([0, most]))
    #expect(!fits([0, most + 1]), "the times are not whole seconds, so they do not fit")
    #expect(fits([7, 7 + most * 1000]))
    #expect(!fits([7, 8, 7 + most * 1000]))
    #expect(!fits([0, most * 1000 + 1000]))
    #expect(fits([]) && fits([.max]) && fits([.min]))
  }

  @Test func `rows may use all bits or none`() {
    let all = packing(of: [(5, .max, .max, .max), (5 + 255, 0, 0, 0)])
    #expect(all.hasTimes)
    #expect(all.time(all.packed(at: 260, candidate: .max, place: 1, code: 7)) == 260)
    let far = packing(of: [(.min, 0, 0, 0), (.max, 0, 0, 0)])
    #expect(far.hasTimes && far.time(far.packed(at: .max, candidate: 0, place: 0, code: 0)) == .max)
    let none = packing(of: [(5, 0, 0, 0), (5, 0, 0, 0)])
    #expect(none.hasTimes && none.packed(at: 5, candidate: 0, place: 0, code: 0) == 0 && none.time(0) == 5)
  }

  @Test(arguments: [[0, 1, 5_000_000_000_000_000_001], [0, 9_000_000_000_000], [3, 4]] as [[Int64]])
  func `a part returns the times of its rows, near each other or not`(times: [Int64]) {
    let buckets = KeyBuckets(keys: 3)
    var part = InteractionPartBuilder(buckets, isCoded: true, keepsOrder: true, spares: SpareArrays(most: 1))
    for (index, at) in times.enumerated().reversed() {
      part.append(
        ReadInteraction(
          at: Moment(milliseconds: at), user: UInt32(index % 3), candidate: 7, item: 0, code: 0), value: 0)
    }
    let finished = part.finish()
    #expect(finished.newest == times.max())
    #expect(finished.times.isEmpty == (times.count < 3), "only the first times do not fit into a word")
    var columns = InteractionColumns(users: 3, values: [1] as [Double])
    columns.append(finished)
    #expect(columns.map(\.at) == times.reversed())
    #expect(columns.newest(until: times[1]) == times[1])
  }
}

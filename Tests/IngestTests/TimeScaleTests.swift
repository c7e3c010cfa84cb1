import Reproducible
import Testing

@testable import Ingest

@Suite struct TimeScaleTests {
  @Test(arguments: 0..<40 as Range<UInt64>)
  func `every time comes back`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let unit: Int64 = seed % 2 == 0 ? 1 : 1000
    let oldest = Int64.random(in: -62_135_596_800_000...200_000_000_000_000, using: &random)
    let times = (0..<100).map { _ in oldest + unit * Int64.random(in: 0...Int64(UInt32.max), using: &random) }
    let range = try #require(times.min())...(try #require(times.max()))
    let scale = try #require(TimeScale(times, in: range))
    for time in times { #expect(scale.time(scale.packed(time)) == time) }
  }

  @Test func `what does not fit four bytes has no scale`() {
    let most = Int64(UInt32.max)
    #expect(TimeScale([0, most], in: 0...most) != nil)
    #expect(TimeScale([0, most + 1], in: 0...most + 1) == nil, "no whole seconds")
    #expect(TimeScale([7, 7 + most * 1000], in: 7...7 + most * 1000) != nil)
    #expect(TimeScale([7, 8, 7 + most * 1000], in: 7...7 + most * 1000) == nil)
    #expect(TimeScale([0, most * 1000 + 1000], in: 0...most * 1000 + 1000) == nil)
  }

  @Test(arguments: [[0, 1, 5_000_000_000_001], [0, 9_000_000_000_000], [3, 4]] as [[Int64]])
  func `a part tells the times of its rows, near each other or not`(times: [Int64]) {
    let buckets = Buckets(keys: 3)
    var part = InteractionPart(buckets, isCoded: true, keepsOrder: true, spares: SpareArrays(most: 1))
    for (index, at) in times.enumerated().reversed() {
      part.append(
        InteractionPart.Row(at: at, value: 0, user: UInt32(index % 3), candidate: 7, item: 0, code: 0))
    }
    let finished = part.finish()
    #expect(finished.newest == times.max())
    var columns = InteractionColumns(users: 3, values: [1] as [Double])
    columns.append(finished)
    #expect(columns.map(\.at) == times.reversed())
    #expect(columns.newest(until: times[1]) == times[1])
  }
}

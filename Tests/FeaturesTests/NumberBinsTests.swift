import Columns
import Concurrency
import PipelineFile
import Testing

@testable import Features

struct NumberBinsTests {
  private func edges(_ count: Int, _ values: [Double]) -> [Double] {
    NumberBins(.count(count), of: values).edges
  }

  @Test func `quantiles equal a calculation by hand`() {
    #expect(edges(2, [1, 2, 3, 4]) == [3])
    #expect(edges(4, [4, 3, 2, 1]) == [2, 3, 4])
    #expect(edges(3, [1, 2, 3, 4, 5, 6, 7]) == [3, 5])
    #expect(edges(2, [1, .nan, 2, .nan]) == [2])
  }

  @Test func `equal values share a bin, so there may be fewer bins`() {
    #expect(edges(2, [1, 1, 1, 2]) == [2])
    #expect(edges(2, [1, 2, 2, 2]) == [2])
    #expect(edges(5, [0, 0, 0, 0, 0, 0, 0, 0, 0, 7]) == [7])
    #expect(edges(3, [1, 1, 2, 2, 2, 2]) == [2])
    // The edges 2 and 3 are equally close to the middle. The smaller edge is chosen.
    #expect(edges(2, [1, 2, 2, 3]) == [2])
    #expect(edges(10, [5, 5, 5]) == [])
    #expect(edges(10, []) == [] && edges(10, [.nan]) == [])
    #expect(edges(10, [1, 2]) == [2])
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `no bin is empty, and without ties bins differ in size by at most one`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let count = Int.random(in: 1...60, using: &random)
    let different = Int.random(in: 1...60, using: &random)
    let hasTies = seed % 2 == 0
    let values = (0..<count).map {
      hasTies ? Double(Int.random(in: 0..<different, using: &random)) : Double($0)
    }
    .shuffled(using: &random)
    let bins = Int.random(in: 2...12, using: &random)
    let binned = NumberBins(.count(bins), of: values)
    var sizes = [Int](repeating: 0, count: binned.names.count)
    for value in values { sizes[Int(binned.code(value))] += 1 }
    #expect(sizes.count <= bins && !sizes.contains(0), "\(binned.edges) of \(values)")
    #expect(binned.edges == binned.edges.sorted() && Set(binned.edges).count == binned.edges.count)
    if !hasTies {
      #expect(sizes.count == min(bins, count))
      #expect((sizes.max() ?? 0) - (sizes.min() ?? 0) <= 1)
    }
    #expect(Set(binned.edges).isSubset(of: values), "each edge is one of the values")
  }

  @Test func `a value is in the bin whose name states its range`() {
    let bins = NumberBins(.edges([-0.5, 2, 1e300]), of: [])
    #expect(bins.names == ["<-0.5", "[-0.5,2)", "[2,1e+300)", ">=1e+300"])
    let cases: [(Double, UInt32)] = [
      (-1e100, 0), (-0.5, 1), (1.999, 1), (2, 2), (1e300, 3), (.nan, CategoryColumn.missing),
    ]
    for (value, code) in cases { #expect(bins.code(value) == code, "\(value)") }
    #expect(NumberBins(.count(5), of: [3]).names == ["any"])
  }

  @Test func `the extreme integers are valid edges`() {
    let least = -9_223_372_036_854_775_808.0
    let text = "-9.223372036854776e+18"
    #expect(NumberBins(.edges([least, 0]), of: []).names == ["<" + text, "[\(text),0)", ">=0"])
    #expect(NumberBins(.count(2), of: [-1e19, -1e19, least, least]).names == ["<" + text, ">=" + text])
    #expect(NumberBins(.edges([0x1p53 - 1]), of: []).names == ["<9007199254740991", ">=9007199254740991"])
    #expect(NumberBins(.edges([0x1p53]), of: []).names == ["<9007199254740992.0", ">=9007199254740992.0"])
    #expect(NumberBins(.edges([-0x1p63, 0x1p63]), of: []).names.count == 3)
  }
}

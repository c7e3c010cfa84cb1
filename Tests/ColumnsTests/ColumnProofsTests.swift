import Concurrency
import TestSupport
import Testing

@testable import Columns
@testable import Files

/// Compares the checks of a column's content with their definitions. Each place of a column gets values at
/// the limits.
struct ColumnProofsTests {
  /// Whether `body` succeeds. Any error must name the file `x`.
  private static func accepts(_ body: () throws(FileError) -> Void) -> Bool {
    do throws(FileError) {
      try body()
      return true
    } catch {
      #expect(error.operation == .read && error.path.hasPrefix("x"))
      return false
    }
  }

  /// Calls `body` with columns of one to three elements. Each column has one of `values` at one place, and
  /// `ordinary` at all others.
  private static func each<Element>(
    of values: [Element], among ordinary: Element, _ body: ([Element], Element) -> Void
  ) {
    for count in 1...3 {
      for place in 0..<count {
        for value in values {
          var elements = [Element](repeating: ordinary, count: count)
          elements[place] = value
          body(elements, value)
        }
      }
    }
  }

  @Test func `times are at most 2 to the power of 58 before or after 1970, or missing`() {
    let latest: Int64 = 1 << 58
    let values = [.min, .min + 1, -latest - 1, -latest, -1, 0, latest, latest + 1, .max]
    Self.each(of: values, among: 7) { times, time in
      let isTime = time == .min || (-latest...latest).contains(time)
      #expect(
        Self.accepts { () throws(FileError) in _ = try Column(inMemory: times).checkedTimes("x") } == isTime,
        "\(times)")
    }
  }

  @Test(arguments: [0, 90, 0.5]) func `numbers are within the limit, or missing`(limit: Double) {
    let values = [
      .nan, 0, -limit, limit, limit.nextUp, -limit.nextUp, .infinity, -.infinity, .greatestFiniteMagnitude,
    ]
    Self.each(of: values, among: 0) { numbers, number in
      let isWithin = number.isNaN || (-limit...limit).contains(number)
      #expect(
        Self.accepts { () throws(FileError) in _ = try Column(inMemory: numbers).checked(within: limit, "x") }
          == isWithin, "\(numbers)")
    }
  }

  @Test(arguments: [1, 5, 1 << 40], [nil, UInt32.max, 9])
  func `codes are below the limit, or the code for none`(limit: Int, none: UInt32?) {
    let values: [UInt32] = [0, 1, 4, 5, 6, 9, 10, .max - 1, .max]
    Self.each(of: values, among: 0) { codes, code in
      let isInside = Int(code) < min(limit, Int(UInt32.max)) || code == none
      #expect(
        Self.accepts { () throws(FileError) in
          _ = try Column(inMemory: codes).checked(below: limit, or: none, "x")
        } == isInside, "\(codes)")
    }
  }

  @Test(arguments: 0..<6 as Range<UInt64>) func `offsets ascend from 0 to the end`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var accepted = 0
    for _ in 0..<500 {
      let numbers = (0..<Int.random(in: 0...4, using: &random)).map { _ in
        UInt64.random(in: 0...3, using: &random)
      }
      let offsets = Bool.random(using: &random) ? numbers : [0] + numbers.sorted()
      let end = Int.random(in: 0...3, using: &random)
      let rows = [nil, 0, 1, 2, 3].randomElement(using: &random) ?? nil
      let isRight =
        offsets.first == 0 && offsets.last == UInt64(end) && offsets == offsets.sorted()
        && (rows == nil || rows == offsets.count - 1)
      let isAccepted = Self.accepts { () throws(FileError) in
        _ = try Column(inMemory: offsets).checked(dividing: end, among: rows, "x")
      }
      #expect(isAccepted == isRight, "\(offsets), \(end), \(String(describing: rows))")
      accepted += isAccepted ? 1 : 0
    }
    #expect(accepted > 10, "\(accepted)")
  }

  /// Reads columns of three rows with different expected numbers of rows. `nil` means any number.
  @Test(arguments: [0, 2, 3, 4, nil]) func `a column has the expected number of rows`(count: Int?) throws {
    let scratch = try ScratchDirectory()
    let path = try written(in: scratch) { (directory) throws(FileError) in
      try Column.write([0.5, 1, 2], to: "x.npy", in: &directory)
      try StringColumn.write([[1], [2], [3]], to: "x.texts", in: &directory)
      try CategoryColumn.write([0, 0, 0], in: [[1]], to: "x.category", in: &directory)
      try TagColumn.write([[0], [], [0]], in: [[1]], to: "x.tags", in: &directory)
      try IntervalColumn.write([[0..<1], [], []], to: "x.open", in: &directory)
    }
    func accepts(_ body: () throws(FileError) -> Int) -> Bool {
      do throws(FileError) {
        #expect(try body() == 3)
        return true
      } catch {
        #expect(error.operation == .read && error.path.hasPrefix(path + "/x"))
        return false
      }
    }
    let found = [
      accepts { () throws(FileError) in try Column<Double>(path + "/x.npy", count: count).count },
      accepts { () throws(FileError) in
        try Column<Double>.blockwise(path + "/x.npy", count: count).column.count
      },
      accepts { () throws(FileError) in try ValueColumn(path + "/x.npy", count: count).count },
      accepts { () throws(FileError) in try StringColumn(path + "/x.texts", count: count ?? 3).count },
      accepts { () throws(FileError) in try CategoryColumn(path + "/x.category", count: count).codes.count },
      accepts { () throws(FileError) in try TagColumn(path + "/x.tags", count: count).count },
      accepts { () throws(FileError) in try IntervalColumn(path + "/x.open", count: count).count },
    ]
    #expect(found.allSatisfy { $0 == ((count ?? 3) == 3) }, "\(found)")
  }

  /// The file has four blocks, and the last one is short. Reading elements must check their blocks, and no
  /// others.
  @Test(arguments: 0..<4) func `a damaged block is found by reading an element in it`(damaged: Int) throws {
    let scratch = try ScratchDirectory()
    let (count, size) = (400_000, BlockChecksums.blockSize)
    let path = try written(in: scratch) { (directory) throws(FileError) in
      try Column.write((0..<count).map(UInt64.init), to: "x.npy", in: &directory)
    }
    let start = try scratch.bytes("stage/x.npy").count - 8 * count
    var bytes = try scratch.bytes("stage/x.npy")
    bytes[damaged == 0 ? start : damaged * size + 77] ^= 4
    try scratch.write(bytes, to: "stage/x.npy")
    func blocks(_ range: Range<Int>) -> ClosedRange<Int> {
      (start + 8 * range.lowerBound) / size...(start + 8 * range.upperBound - 1) / size
    }
    guard damaged > 0 else {
      #expect(throws: FileError.self) { _ = try Column<UInt64>.blockwise(path + "/x.npy") }
      return
    }
    let check = try Column<UInt64>.blockwise(path + "/x.npy", count: count).check
    try check.check(5..<5)
    let edges = (1...3).map { ($0 * size - start) / 8 }
    for begin in [0, 1] + edges.flatMap({ [$0 - 1, $0, $0 + 1] }) + [count - 1] {
      for length in [1, 2, size / 8, size / 8 + 1] where begin + length <= count {
        let range = begin..<begin + length
        do throws(FileError) {
          try check.check(range)
          #expect(!blocks(range).contains(damaged), "\(range)")
        } catch {
          #expect(blocks(range).contains(damaged), "\(range)")
          #expect(error.reason.hasPrefix("block \(damaged + 1) of 4 "))
        }
      }
    }
  }
}

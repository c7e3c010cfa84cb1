import Concurrency
import Testing
import TestSupport

@testable import Columns
@testable import Files
@testable import RunSchemas
@testable import Text

extension Manifest {
  /// A minimal manifest for tests that check other files of a stage directory.
  static let plain = Manifest(
    tool: "test", stage: "stage", pipeline: "p", configuration: .null, asOf: Instant(milliseconds: 0),
    seed: 0,
    counts: .null)
}

/// Writes a stage directory `stage` in `scratch` and returns its path.
func written(
  in scratch: ScratchDirectory, _ body: (inout StageDirectory) throws(FileError) -> Void
) throws(FileError) -> String {
  var directory = try StageDirectory("stage", in: scratch.path)
  try body(&directory)
  _ = try directory.complete(.plain)
  return scratch("stage")
}

@Suite struct ColumnTests {
  let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  private func roundTrip<Element: ColumnElement & Hashable>(_ values: [Element]) throws {
    let path = try written(in: scratch) { (directory) throws(FileError) in
      try Column.write(values, to: "x.npy", in: &directory)
    }
    let column = try Column<Element>(path + "/x.npy")
    #expect(column.count == values.count)
    #expect(column.elements == values)
    for (row, value) in values.enumerated() {
      #expect(column[row] == value)
      #expect(column[UInt32(row)] == value)
    }
    let bytes = try scratch.bytes("stage/x.npy")
    try checkHeader(bytes, type: Element.numpyName, count: values.count, size: MemoryLayout<Element>.size)
    let little = values.flatMap { withUnsafeBytes(of: $0) { Array($0) } }
    #expect(Array(bytes.suffix(little.count)) == little)
  }

  /// Checks the header byte by byte against the specification of NumPy's format 1.0.
  private func checkHeader(_ bytes: [UInt8], type: String, count: Int, size: Int) throws {
    #expect(Array(bytes.prefix(8)) == [0x93, 0x4E, 0x55, 0x4D, 0x50, 0x59, 1, 0])
    let length = Int(bytes[8]) + 256 * Int(bytes[9])
    #expect((10 + length) % 64 == 0)
    #expect(bytes.count == 10 + length + count * size)
    let text = String(decoding: bytes[10..<10 + length], as: UTF8.self)
    #expect(text.last == "\n")
    #expect(
      text.dropLast().replacing(#/ +$/#, with: "")
        == "{'descr': '\(type)', 'fortran_order': False, 'shape': (\(count),), }")
  }

  @Test(arguments: [0, 1, 7, 1000])
  func `doubles round-trip`(count: Int) throws {
    var random = SplitMix64(seed: UInt64(count))
    let edges = [0, -0.0, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1]
    try roundTrip(Array((edges + (0..<count).map { _ in random.nextUnit() }).prefix(count)))
  }

  @Test func `a NaN keeps its bits`() throws {
    let values = [Double.nan, Double(bitPattern: 0x7FF8_0000_DEAD_BEEF)]
    let path = try written(in: scratch) { (directory) throws(FileError) in
      try Column.write(values, to: "x.npy", in: &directory)
    }
    #expect(try Column<Double>(path + "/x.npy").elements.map(\.bitPattern) == values.map(\.bitPattern))
  }

  @Test(arguments: [0, 1, 5]) func `signed numbers round-trip`(count: Int) throws {
    try roundTrip(Array([Int64.min, .max, 0, -1, 1].prefix(count)))
  }

  @Test(arguments: [0, 1, 3]) func `wide unsigned numbers round-trip`(count: Int) throws {
    try roundTrip(Array([UInt64.max, 0, 1 << 63].prefix(count)))
  }

  @Test(arguments: [0, 1, 3]) func `rows round-trip`(count: Int) throws {
    try roundTrip(Array([UInt32.max, 0, 7].prefix(count)))
  }

  @Test(arguments: [0, 1, 256]) func `flags round-trip`(count: Int) throws {
    try roundTrip((0..<count).map { UInt8($0) })
  }

  @Test func `a header of any length ends at a multiple of 64`() {
    for digits in 0..<19 {
      let count = (0..<digits).reduce(1) { value, _ in value * 10 }
      let header = NumPyHeader(type: "<f8", count: count)
      #expect(header.length % 64 == 0)
      #expect(header.bytes.count == header.length)
    }
  }

  @Test(.enabled(if: Command.hasNumPy, "needs a Python with NumPy"))
  func `NumPy reads and writes the same files`() throws {
    let path = try written(in: scratch) { (directory) throws(FileError) in
      try Column.write([0.1, -2, .nan], to: "f8.npy", in: &directory)
      try Column.write([Int64.min, -1], to: "i8.npy", in: &directory)
      try Column.write([UInt64.max], to: "u8.npy", in: &directory)
      try Column.write([UInt32.max, 3], to: "u4.npy", in: &directory)
      try Column.write([UInt8(255), 1], to: "u1.npy", in: &directory)
      try Column.write([Double](), to: "empty.npy", in: &directory)
    }
    let script = """
      import sys, numpy
      for name in ["f8", "i8", "u8", "u4", "u1", "empty"]:
        column = numpy.load(sys.argv[1] + "/" + name + ".npy", mmap_mode="r")
        print(name, column.dtype.str, column.shape, column.tolist())
        numpy.save(sys.argv[2] + "/" + name + ".npy", column)
      """
    let (output, status) = try Command.run("python3", ["-c", script, path, scratch.path])
    #expect(status == 0)
    #expect(
      output == """
        f8 <f8 (3,) [0.1, -2.0, nan]
        i8 <i8 (2,) [-9223372036854775808, -1]
        u8 <u8 (1,) [18446744073709551615]
        u4 <u4 (2,) [4294967295, 3]
        u1 |u1 (2,) [255, 1]
        empty <f8 (0,) []

        """)
    #expect(try Column<Int64>(scratch("i8.npy")).elements == [.min, -1])
    #expect(try Column<UInt8>(scratch("u1.npy")).elements == [255, 1])
    #expect(try Column<Double>(scratch("empty.npy")).elements.isEmpty)
  }

  @Test func `a column of another type is rejected with both type names`() throws {
    let path = try written(in: scratch) { (directory) throws(FileError) in
      try Column.write([1.0], to: "x.npy", in: &directory)
    }
    let error = #expect(throws: FileError.self) { _ = try Column<Int64>(path + "/x.npy") }
    #expect(error?.operation == .read)
    #expect(error?.reason == "its element type is '<f8' instead of '<i8', so the run is damaged")
  }

  @Test func `a missing column is a find error`() {
    let error = #expect(throws: FileError.self) { _ = try Column<Double>(scratch("none.npy")) }
    #expect(error?.operation == .find)
  }

  @Test func `a directory is not a column`() {
    let error = #expect(throws: FileError.self) { _ = try Column<Double>(scratch.path) }
    #expect(error?.operation == .read)
  }
}

@Suite struct DamagedColumnTests {
  let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  private func bytes(_ dictionary: String, padding: Int = 1, data: Int) -> [UInt8] {
    let text = Array((dictionary + String(repeating: " ", count: padding - 1) + "\n").utf8)
    return [0x93] + Array("NUMPY".utf8) + [1, 0, UInt8(text.count & 255), UInt8(text.count >> 8)] + text
      + [UInt8](repeating: 0, count: data)
  }

  @Test func `every prefix of a file is rejected`() throws {
    let path = try written(in: scratch) { (directory) throws(FileError) in
      try Column.write([1.0, 2, 3], to: "x.npy", in: &directory)
    }
    let whole = try scratch.bytes("stage/x.npy")
    for count in 0..<whole.count {
      let file = try scratch.write(Array(whole.prefix(count)), to: "prefix.npy")
      #expect(throws: FileError.self, "\(count) bytes") { _ = try Column<Double>(file) }
    }
    #expect(throws: FileError.self) {
      _ = try Column<Double>(try scratch.write(whole + [0], to: "longer.npy"))
    }
    #expect(try Column<Double>(path + "/x.npy").count == 3)
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `flipped bytes give an error or the right number of elements`(seed: UInt64) throws {
    let whole = NumPyHeader(type: "<u4", count: 4).bytes + [UInt8](repeating: 7, count: 16)
    var random = SplitMix64(seed: seed)
    for _ in 0..<100 {
      var damaged = whole
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        damaged[Int.random(in: damaged.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let file = try scratch.write(damaged, to: "damaged.npy")
      if let column = try? Column<UInt32>(file) { #expect(column.elements.count == column.count) }
    }
  }

  @Test(arguments: [
    "{'descr': '>f8', 'fortran_order': False, 'shape': (2,), }",
    "{'descr': '<f8', 'fortran_order': True, 'shape': (2,), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (-2,), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': [2,), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807,), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (1152921504606846978,), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }",
    "{'descr': '<f8', 'fortran_order': False}", "{'descr': , 'fortran_order': False, 'shape': (2,), }", "{}",
    "",
  ])
  func `a header of another format is rejected`(dictionary: String) throws {
    // The elements are aligned, so only the header's text can be wrong.
    let padding = 64 - (10 + dictionary.utf8.count) % 64
    let file = try scratch.write(bytes(dictionary, padding: padding, data: 16), to: "x.npy")
    let error = #expect(throws: FileError.self) { _ = try Column<Double>(file) }
    #expect(error?.operation == .read)
    #expect(error?.path == file)
  }

  @Test func `misaligned elements are rejected`() throws {
    let dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }"
    for padding in 1...64 {
      let content = bytes(dictionary, padding: padding, data: 16)
      let file = try scratch.write(content, to: "x.npy")
      if (content.count - 16) % 8 == 0 {
        #expect(try Column<Double>(file).elements == [0, 0])
      } else {
        #expect(throws: FileError.self, "\(padding)") { _ = try Column<Double>(file) }
      }
    }
  }
}

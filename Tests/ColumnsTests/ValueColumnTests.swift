import Testing
import TestSupport

@testable import Columns
@testable import Files
@testable import RunSchemas
@testable import Text

@Suite struct ValueColumnTests {
  let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  @Test(arguments: [[1.0, -1, 0, 127, -128], [], [0.5, .nan, -0.0, 1e100, -1]])
  func `values round-trip with either type`(values: [Double]) throws {
    let small = ValueColumn.small(values)
    let path = try written(in: scratch) { (directory) throws(FileError) in
      if let small { try Column.write(small, to: "value.npy", in: &directory) }
      try Column.write(values, to: "wide.npy", in: &directory)
    }
    let files = (small == nil ? [] : ["value.npy"]) + ["wide.npy"]
    for file in files {
      let column = try ValueColumn(path + "/" + file)
      #expect(column.count == values.count)
      #expect(column.elements.map(\.bitPattern) == values.map(\.bitPattern))
      for index in values.indices { #expect(column[index].bitPattern == values[index].bitPattern) }
    }
    #expect(files.count == (values.contains(0.5) ? 1 : 2))
  }

  @Test(arguments: [128, -129, 0.5, -0.0, .nan, .infinity])
  func `only whole numbers in range are stored as bytes`(value: Double) {
    #expect(ValueColumn.small([1, value]) == nil)
    #expect(ValueColumn.small([1, -1]) == [1, -1])
  }

  @Test func `a selection of elements keeps the column's type`() throws {
    let path = try written(in: scratch) { (directory) throws(FileError) in
      try Column.write([3, -4, 5] as [Int8], to: "small.npy", in: &directory)
      try Column.write([3.5, -4, 5], to: "wide.npy", in: &directory)
    }
    var directory = try StageDirectory("part", in: scratch.path)
    for name in ["small.npy", "wide.npy"] {
      try ValueColumn(path + "/" + name).write([0, 2], to: name, in: &directory)
    }
    _ = try directory.complete(.plain)
    #expect(try Column<Int8>(scratch("part") + "/small.npy").elements == [3, 5])
    #expect(try Column<Double>(scratch("part") + "/wide.npy").elements == [3.5, 5])
  }

  @Test func `another type is rejected`() throws {
    let path = try written(in: scratch) { (directory) throws(FileError) in
      try Column.write([1] as [UInt32], to: "x.npy", in: &directory)
    }
    #expect(throws: FileError.self) { _ = try ValueColumn(path + "/x.npy") }
  }

  @Test func `a column is written piece by piece`() throws {
    let path = try written(in: scratch) { (directory) throws(FileError) in
      var column = try directory.open("a/x.npy", UInt32.self, count: 5)
      var other = try directory.open("a/y.npy", Int64.self, count: 1)
      try column.append([1, 2, 3])
      try other.append([-7])
      try column.append([])
      try column.append([4, 5])
      try directory.close(column)
      try directory.close(other)
    }
    #expect(try Column<UInt32>(path + "/a/x.npy").elements == [1, 2, 3, 4, 5])
    #expect(try Column<Int64>(path + "/a/y.npy").elements == [-7])
  }

  /// Some pieces are smaller than the writer's buffer, others larger. The digest is computed before
  /// any piece is written.
  @Test(arguments: [1, 3, 100_000]) func `a digest computed separately equals the file's`(
    piece: Int
  ) throws {
    let elements = (0..<3 * piece).map { UInt32(truncatingIfNeeded: $0 &* 2_654_435_761) }
    let path = try written(in: scratch) { (directory) throws(FileError) in
      var column = try directory.open("x.npy", UInt32.self, count: elements.count)
      column.digest.update(elements)
      for start in stride(from: 0, to: elements.count, by: piece) {
        try column.append(digested: Array(elements[start..<start + piece]))
      }
      try directory.close(column)
      try Column.write(elements, to: "whole.npy", in: &directory)
    }
    #expect(try Column<UInt32>(path + "/x.npy").elements == elements)
    let outputs = try Manifest(of: path).outputs
    #expect(Set(outputs.map(\.sha256)).count == 1 && Set(outputs.map(\.bytes)).count == 1)
    #expect(outputs.map(\.path).sorted() == ["whole.npy", "x.npy"])
  }
}

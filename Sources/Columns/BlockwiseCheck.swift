package import Files

/// Checks the file of a column block by block. A block is compared with the manifest only when its elements
/// are read.
///
/// A command that reads the model of one user thus reads only a few blocks of each file.
package struct BlockwiseCheck: Sendable {
  private let check: FileCheck
  private let file: MappedFile
  /// The byte range of the elements.
  private let elements: Range<Int>
  private let stride: Int

  fileprivate init<Element>(_ check: FileCheck, _ column: Column<Element>) {
    (self.check, file, elements) = (check, column.file, column.range)
    stride = MemoryLayout<Element>.stride
  }

  /// Checks the blocks that contain the elements at `range`.
  ///
  /// - Throws: `FileError` if one of these blocks is damaged.
  package func check(_ range: Range<Int>) throws(FileError) {
    guard !range.isEmpty else { return }
    let start = elements.lowerBound + range.lowerBound * stride
    try Self.check(start..<start + range.count * stride, of: file, check)
  }

  /// Checks the blocks that contain the bytes at `range`, which is not empty.
  fileprivate static func check(_ range: Range<Int>, of file: MappedFile, _ check: FileCheck)
    throws(FileError)
  {
    let size = BlockChecksums.blockSize
    for block in range.lowerBound / size...(range.upperBound - 1) / size {
      let bytes = file.bytes.extracting(block * size..<min((block + 1) * size, file.count))
      try check.check(block: block, bytes)
    }
  }
}

extension Column {
  /// Maps the column at `path`, and checks only the block with its header.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - expected: The number of elements that the column must have; any number if `nil`.
  /// - Returns: The column, and the check that must precede the use of elements.
  /// - Throws: `FileError` if the file is missing, the block with the header is damaged, the file is not a
  ///   `.npy` file of this element type, or the number of elements differs.
  package static func blockwise(_ path: String, count expected: Int? = nil) throws(FileError) -> (
    column: Self, check: BlockwiseCheck
  ) {
    let check = try FileCheck(path)
    let file = try MappedFile(path)
    if file.count > 0 { try BlockwiseCheck.check(0..<1, of: file, check) }
    let column = try Self(file, path)
    guard column.count == expected ?? column.count else {
      throw FileError(damaged: path, "its number of elements is \(column.count) instead of \(expected ?? 0)")
    }
    return (column, BlockwiseCheck(check, column))
  }
}

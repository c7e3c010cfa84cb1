import Files
import Glibc
internal import Text

/// Divides a part file of a list or catalog into blocks of about a megabyte, which any thread may read and
/// check.
///
/// A block contains the lines that begin in its range of the file. The division into blocks depends only on
/// the file, not on the number of threads.
final class ListBlocks: Sendable {
  /// The checked lines of a block, up to its end or to the first faulty line.
  struct Block: Sendable {
    /// The bytes of the lines, followed by padding.
    var bytes: [UInt8] = []
    /// The range in `bytes` of each line, without its newline.
    var lines: [Range<Int>] = []
    /// The user's id or the key of each line, unescaped and concatenated.
    var ids: [UInt8] = []
    /// The offset in `ids` at which each id ends.
    var idEnds: [Int] = []
    /// The fault in the line after `lines`; `nil` if there is none.
    var flaw: String?
  }

  private let path: String
  private let descriptor: Int32
  private let size: Int
  private let blockSize: Int
  private let member: ListLine.Member
  private let check: FileCheck

  /// Opens the file at `path`.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - member: The first member of each line.
  ///   - blockSize: The number of bytes in a block; positive. Tests use small numbers.
  /// - Throws: `missingRankings` if the file does not exist; `unreadableRankings` if it cannot be opened.
  init(path: String, member: ListLine.Member = .user, blockSize: Int = BlockChecksums.blockSize)
    throws(ServingStoreError)
  {
    precondition(blockSize > 0, "blockSize is \(blockSize)")
    let check = try ServingStoreError.translatingFiles { () throws(FileError) in try FileCheck(path) }
    let opened = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else {
      throw ServingStoreError(
        errno == ENOENT ? .missingRankings : .unreadableRankings, address: path, place: .init(file: path),
        found: "the file cannot be opened: \(systemMessage(errno))",
        nextStep: "run the rank stage again, or check the permissions of its output")
    }
    var status = stat()
    let code = unsafe fstat(opened, &status) == 0 ? 0 : errno
    self.path = path
    self.member = member
    self.blockSize = blockSize
    self.check = check
    descriptor = opened
    size = Int(status.st_size)
    // The properties are initialized by now, so `deinit` closes the descriptor.
    guard code == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw unreadable(code == 0 ? "it is not a regular file" : systemMessage(code))
    }
  }

  deinit {
    close(descriptor)
  }

  var count: Int { (size + blockSize - 1) / blockSize }

  /// Reads and checks the block with the zero-based index `number`.
  ///
  /// - Throws: `unreadableRankings` if the file cannot be read or does not match its manifest.
  func block(_ number: Int) throws(ServingStoreError) -> Block {
    var block = Block()
    guard let length = try read(number, into: &block.bytes) else { return block }
    block.bytes.append(contentsOf: repeatElement(0, count: DocumentCheck.padding))
    var check = ListLineCheck()
    var start = 0
    while start < length {
      guard let newline = block.bytes.span.firstIndex(of: UInt8(ascii: "\n"), from: start),
        newline < length
      else {
        block.flaw =
          length - start > LineReader.longestLine
          ? "the line is longer than \(LineReader.longestLine) bytes"
          : "the last line is truncated: it has no line break"
        break
      }
      if let flaw = check.flaw(of: start..<newline, member, in: block.bytes.span) {
        block.flaw = flaw
        break
      }
      block.lines.append(start..<newline)
      block.ids += check.id
      block.idEnds.append(block.ids.count)
      start = newline + 1
    }
    return block
  }

  /// Reads the lines that begin in block `number`, and returns their number of bytes; `nil` if no line begins
  /// in this block.
  private func read(_ number: Int, into bytes: inout [UInt8]) throws(ServingStoreError) -> Int? {
    // The range includes the byte before the block. If that byte is a newline, a line begins at the start of
    // the block.
    let first = max(0, number * blockSize - 1)
    let end = min(size, (number + 1) * blockSize)
    try append(first..<end, to: &bytes)
    // The manifest contains a checksum for each block of this size. Other sizes occur only in tests, which
    // have no manifest. The thread that reads a block checks it before using its content.
    if blockSize == BlockChecksums.blockSize {
      let own = bytes.span.extracting((number * blockSize - first)...)
      do throws(FileError) { unsafe try check.check(block: number, own.bytes) } catch {
        throw ServingStoreError(error)
      }
    }
    if number > 0 {
      guard let newline = bytes.span.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
      bytes.removeSubrange(...newline)
      if bytes.isEmpty { return nil }
    }
    // The last line may end in a later block.
    var next = end
    while next < size, bytes.last != UInt8(ascii: "\n"), bytes.count <= LineReader.longestLine + blockSize {
      let searched = bytes.count
      let more = next..<min(size, next + min(blockSize, 1 << 16))
      try append(more, to: &bytes)
      next = more.upperBound
      if let newline = bytes.span.firstIndex(of: UInt8(ascii: "\n"), from: searched) {
        bytes.removeSubrange((newline + 1)...)
      }
    }
    return bytes.count
  }

  private func append(_ range: Range<Int>, to bytes: inout [UInt8]) throws(ServingStoreError) {
    let start = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: range.count))
    var done = 0
    while done < range.count {
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe pread(
          descriptor, buffer.baseAddress.map { unsafe $0 + start + done }, range.count - done,
          range.lowerBound + done)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw unreadable(count == 0 ? "its size decreased during the read" : systemMessage(errno))
      }
      done += count
    }
  }

  private func unreadable(_ reason: String) -> ServingStoreError {
    ServingStoreError(
      .unreadableRankings, address: path, place: .init(file: path),
      found: "the file cannot be read: \(reason)",
      nextStep: "check the disk, or run the rank stage again")
  }

  /// Returns an error about a line. Lines are counted from 1.
  func corrupt(_ found: String, line: Int) -> ServingStoreError {
    ServingStoreError(
      .corruptRankings, address: path, place: .init(file: path, line: line), found: found,
      nextStep: "run the rank stage again; if the error remains, report a bug")
  }
}

/// Checks that a line is a JSON document that begins with the user's id or the key.
private struct ListLineCheck: ~Copyable {
  private let document = DocumentCheck()
  /// The id or the key of the last checked line.
  private(set) var id: [UInt8] = []

  /// Returns the fault in the line at `range`; `nil` if there is none.
  mutating func flaw(
    of range: Range<Int>, _ member: ListLine.Member, in bytes: Span<UInt8>
  ) -> String? {
    do throws(ListLine.Flaw) {
      try ListLine.first(member, of: bytes.extracting(range), into: &id)
    } catch {
      return error.rawValue
    }
    return document.accepts(range, of: bytes) ? nil : "the line is not JSON in UTF-8"
  }
}

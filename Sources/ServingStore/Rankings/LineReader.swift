import Files
import Glibc
internal import Text

/// Reads a file line by line in bounded memory.
///
/// A file of a run ends with a newline. A file without a newline at its end is truncated, which is an error.
/// Lines are counted from 1, and end only with LF.
struct LineReader: ~Copyable {
  /// The maximum length of a line in bytes. All lines of a run are far shorter, but a damaged file could
  /// otherwise fill the memory.
  static let longestLine = 64 << 20
  private static let chunk = 1 << 20

  let path: String
  /// The number of the last line read; 0 before the first line.
  private(set) var line = 0

  private let descriptor: Int32
  /// Compares the whole file with its manifest when the end of the file is reached.
  private var check: FileCheck
  private var buffer: [UInt8]
  /// The range in `buffer` of the bytes that were read but not yet returned as part of a line.
  private var pending = 0..<0

  /// Opens the file at `path`.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - chunk: The number of bytes to read at once; positive. Tests use small numbers.
  /// - Throws: `missingRankings` if the file does not exist; `unreadableRankings` if it cannot be opened.
  init(path: String, chunk: Int = Self.chunk) throws(ServingStoreError) {
    precondition(chunk > 0, "chunk is \(chunk)")
    let check = try ServingStoreError.translatingFiles { () throws(FileError) in try FileCheck(path) }
    let opened = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else {
      throw ServingStoreError(
        errno == ENOENT ? .missingRankings : .unreadableRankings, address: path, place: .init(file: path),
        found: "the file cannot be opened: \(systemMessage(errno))",
        nextStep: "run the rank stage again, or check the permissions of its output")
    }
    self.path = path
    self.check = check
    descriptor = opened
    buffer = Array(repeating: 0, count: chunk)
  }

  deinit {
    close(descriptor)
  }

  /// Passes the next line, without its newline, to `body`. Returns `false` at the end of the file.
  ///
  /// - Throws: Errors of `body`; `unreadableRankings`; `corruptRankings` for a last line without a newline,
  ///   or a line longer than `longestLine`.
  mutating func next(_ body: (Span<UInt8>) throws -> Void) throws -> Bool {
    var searched = 0
    while true {
      let from = pending.lowerBound + searched
      if let newline = buffer.span.extracting(..<pending.upperBound).firstIndex(
        of: UInt8(ascii: "\n"), from: from)
      {
        let found = pending.lowerBound..<newline
        pending = newline + 1..<pending.upperBound
        line += 1
        try body(buffer.span.extracting(found))
        return true
      }
      searched = pending.count
      guard searched <= Self.longestLine else {
        line += 1
        throw corrupt("the line is longer than \(Self.longestLine) bytes")
      }
      guard try fill() else {
        guard pending.isEmpty else {
          line += 1
          throw corrupt("the last line is truncated: it has no line break")
        }
        return false
      }
    }
  }

  /// Returns an error about the last line read.
  func corrupt(_ found: String) -> ServingStoreError {
    ServingStoreError(
      .corruptRankings, address: path, place: .init(file: path, line: line), found: found,
      nextStep: "run the rank stage again; if the error remains, report a bug")
  }

  /// Moves the pending bytes to the start of the buffer and reads more. Returns `false` at the end of the
  /// file.
  private mutating func fill() throws(ServingStoreError) -> Bool {
    if pending.lowerBound > 0 {
      buffer.replaceSubrange(0..<pending.count, with: buffer[pending])
      pending = 0..<pending.count
    }
    if pending.upperBound == buffer.count {
      buffer.append(contentsOf: repeatElement(0, count: buffer.count))
    }
    let free = pending.upperBound..<buffer.count
    var count: Int
    repeat {
      count = unsafe buffer.withUnsafeMutableBytes { bytes in
        unsafe read(descriptor, UnsafeMutableRawBufferPointer(rebasing: bytes[free]).baseAddress, free.count)
      }
    } while count < 0 && errno == EINTR
    guard count >= 0 else {
      throw ServingStoreError(
        .unreadableRankings, address: path, place: .init(file: path, line: line + 1),
        found: "the file cannot be read: \(systemMessage(errno))",
        nextStep: "check the disk, or run the rank stage again")
    }
    if count == 0 {
      do throws(FileError) { try check.finish() } catch { throw ServingStoreError(error) }
    }
    // `update` is called on a copy, because `self` cannot be changed while a span of `buffer` is borrowed.
    var updated = check
    unsafe updated.update(buffer.span.extracting(free.prefix(count)).bytes)
    check = updated
    pending = 0..<pending.upperBound + count
    return count > 0
  }
}

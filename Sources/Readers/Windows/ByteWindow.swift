import CSimdJSON
import Glibc

/// The memory of a window, including the padding. Only one window uses it at a time.
@safe final class WindowMemory: @unchecked Sendable {
  let base: UnsafeMutableRawPointer
  let capacity: Int

  init(capacity: Int) {
    self.capacity = max(capacity, 1)
    unsafe base = .allocate(byteCount: self.capacity + ByteWindow.padding, alignment: 16)
  }

  deinit { unsafe base.deallocate() }
}

/// The memory and the bytes that a window returned as a block.
struct WindowBlock: Sendable {
  let memory: WindowMemory
  /// The number of bytes, without the padding.
  let count: Int
  /// The offset of the first byte in the export.
  let position: Int
  /// The physical line, from 1, of the first byte.
  let line: Int

  /// Calls `body` with the bytes in `range`, unless the range is empty.
  func withBytes(_ range: Range<Int>, _ body: (RawSpan) -> Void) {
    if range.isEmpty { return }
    let bytes = unsafe UnsafeRawBufferPointer(start: memory.base, count: count)
    body(unsafe RawSpan(_unsafeBytes: bytes).extracting(range))
  }
}

/// A window onto an export: the part that is in memory. The window moves from the start of the export to its
/// end.
///
/// At least 64 readable zero bytes follow the bytes of the export, because scanners load whole words and
/// simdjson parses in place. Views borrow the window, so the compiler rejects code that moves the window
/// while a view exists.
@safe struct ByteWindow: ~Copyable {
  /// The maximum number of bytes in one record. Callers never keep a longer part of the file in a window.
  static let recordLimit = 64 << 20
  /// The number of bytes read at once. These bytes fit in the L2 cache.
  static let chunk = 1 << 18
  static let padding = Int(NJSON_PADDING)

  private let source: any ByteSource
  private let file: String
  private var checksUTF8: Bool
  private var memory: WindowMemory
  /// The number of bytes that were checked for valid UTF-8.
  private var checked = 0
  /// Whether the last byte that left the window was a CR. This CR ended a line, unless an LF follows.
  private var endedWithReturn = false

  /// The number of bytes, without the padding.
  private(set) var count = 0
  /// The offset of the first byte in the export.
  private(set) var position = 0
  /// The physical line, from 1, of the first byte.
  private(set) var line = 1
  /// Whether the export ends with the window.
  private(set) var isComplete = false

  /// Creates an empty window at the start of `source`. Call `move` to read the first bytes.
  ///
  /// - Parameters:
  ///   - source: The bytes to read.
  ///   - file: The name in messages.
  ///   - checksUTF8: Whether invalid UTF-8 ends the reading.
  ///   - capacity: The initial number of bytes.
  init(_ source: any ByteSource, file: String, checksUTF8: Bool, capacity: Int = ByteWindow.chunk) {
    self.source = source
    self.file = file
    self.checksUTF8 = checksUTF8
    memory = WindowMemory(capacity: capacity)
    unsafe memset(memory.base, 0, Self.padding)
  }

  /// Creates a window onto a whole block, without bytes after it.
  ///
  /// - Parameters:
  ///   - block: The bytes. They are not checked for valid UTF-8 again.
  ///   - file: The file name in messages.
  init(_ block: WindowBlock, file: String) {
    source = MemoryBytes([])
    self.file = file
    checksUTF8 = false
    memory = block.memory
    count = block.count
    position = block.position
    line = block.line
    isComplete = true
  }

  /// Whether the window contains the bytes of the file unchanged, without decompression.
  var isAsOnDisk: Bool { source.isAsOnDisk }

  private var base: UnsafeMutableRawPointer { unsafe memory.base }
  private var capacity: Int { memory.capacity }

  /// The bytes without the padding.
  var bytes: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      let pointer = unsafe UnsafePointer(base.assumingMemoryBound(to: UInt8.self))
      return unsafe _overrideLifetime(Span(_unsafeStart: pointer, count: count), borrowing: self)
    }
  }

  /// The bytes and the padding, for loads of whole words.
  var padded: RawSpan {
    @_lifetime(borrow self)
    get {
      unsafe _overrideLifetime(
        RawSpan(_unsafeStart: UnsafeRawPointer(base), byteCount: count + Self.padding), borrowing: self)
    }
  }

  /// Moves the window to `start`, and reads further bytes unless the window is complete. The window grows if
  /// more than half of its capacity is kept.
  ///
  /// - Parameters:
  ///   - start: An offset in the window, at most `count`.
  ///   - line: The physical line of that byte; if `nil`, lines are counted.
  /// - Throws: Errors of the source; `invalid_utf8`.
  mutating func move(to start: Int, line: Int? = nil) throws(ExportError) {
    precondition((0...count).contains(start), "a window of \(count) bytes cannot begin at \(start)")
    if let line { self.line = line } else { countLines(before: start) }
    let kept = count - start
    if start > 0 {
      unsafe memmove(base, base + start, kept)
      position += start
      checked = max(checked - start, 0)
      count = kept
    }
    if capacity - kept < (capacity + 1) / 2, !isComplete { grow() }
    while count < capacity, !isComplete {
      let got = try unsafe source.read(
        into: UnsafeMutableRawBufferPointer(start: base + count, count: capacity - count))
      count += got
      isComplete = got == 0
    }
    unsafe memset(base + count, 0, Self.padding)
    if checksUTF8 { try checkUTF8() }
  }

  /// Starts to reject invalid UTF-8 at `offset` of the window, where a character must begin.
  mutating func startCheckingUTF8(at offset: Int) throws(ExportError) {
    guard !checksUTF8 else { return }
    checksUTF8 = true
    checked = offset
    try checkUTF8()
  }

  /// The largest offset to which the window may move. If the window ends within a character, this offset is
  /// the start of the character, because the rest of a character cannot be checked alone. It is at most three
  /// bytes before `count`.
  var settled: Int { checksUTF8 ? checked : count }

  /// Returns the physical line of the byte at `offset` in the window.
  func line(of offset: Int) -> Int {
    let first = endedWithReturn && count > 0 && bytes[0] == lineFeed ? line - 1 : line
    return first - 1 + lineNumber(of: offset, in: bytes)
  }

  private mutating func countLines(before start: Int) {
    guard start > 0 else { return }
    line = line(of: start)
    endedWithReturn = start == count && bytes[start - 1] == carriageReturn
  }

  private mutating func grow() {
    let larger = WindowMemory(capacity: 2 * capacity)
    unsafe larger.base.copyMemory(from: base, byteCount: count)
    memory = larger
  }

  /// Returns the memory with the bytes before `end`, and moves the remaining bytes to other memory.
  ///
  /// - Parameters:
  ///   - end: An offset in the window, at most `count`, where a record may begin.
  ///   - next: The physical line of that byte.
  ///   - spare: Unused memory. If it is too small, larger memory is allocated.
  /// - Returns: The memory with the bytes before `end`.
  mutating func handOver(before end: Int, line next: Int, taking spare: WindowMemory?) -> WindowBlock {
    precondition((0...count).contains(end), "a window of \(count) bytes cannot end at \(end)")
    let given = memory
    let rest = count - end
    memory =
      if let spare, spare.capacity >= max(rest, 1) { spare } else {
        WindowMemory(capacity: max(capacity, rest))
      }
    unsafe base.copyMemory(from: given.base + end, byteCount: rest)
    unsafe memset(base + rest, 0, Self.padding)
    unsafe memset(given.base + end, 0, Self.padding)
    let block = WindowBlock(memory: given, count: end, position: position, line: line)
    position += end
    count = rest
    checked = max(checked - end, 0)
    line = next
    endedWithReturn = false
    return block
  }

  /// Checks the unchecked bytes, except a character that may continue after the window.
  private mutating func checkUTF8() throws(ExportError) {
    let end = isComplete ? count : characterBoundary()
    let isValid = unsafe njson_is_utf8(base.assumingMemoryBound(to: UInt8.self) + checked, end - checked)
    guard isValid else { throw notUTF8() }
    checked = end
  }

  /// Returns the end of the last whole character, according to its lead byte.
  private borrowing func characterBoundary() -> Int {
    let bytes = bytes
    for back in 1...3 where count - back >= checked {
      let byte = bytes[count - back]
      if byte & 0xC0 == 0x80 { continue }
      let length = byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
      return length > back ? count - back : count
    }
    return count
  }

  private borrowing func notUTF8() -> ExportError {
    let rest = bytes.extracting(checked..<count)
    let offset = checked + (firstInvalidUTF8(rest) ?? rest.count)
    if source is TranscodedBytes {
      return ExportError(
        .invalidUTF8, file: file, place: .line(line(of: offset)),
        reason: "the file is not valid UTF-16: a surrogate lacks its pair, or the file ends within a "
          + "character; correct the export")
    }
    let bytes = bytes
    let isUTF16 = position == 0 && offset < 2 && count > 1 && min(bytes[0], bytes[1]) >= 0xFE
    let hint =
      isUTF16
      ? "it looks like UTF-16; set 'encoding: utf-16' of the source, or export the file as UTF-8"
      : "set 'encoding' of the source, or export the file as UTF-8"
    let found = offset < count ? " (0x" + String(bytes[offset], radix: 16, uppercase: true) + ")" : ""
    return ExportError(
      .invalidUTF8, file: file, place: .byte(position + offset, line: line(of: offset)),
      reason: "the file must be UTF-8, but this byte is not\(found); \(hint)")
  }
}

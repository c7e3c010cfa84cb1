import Dispatch

/// Divides an export into blocks of whole records while it is being read, so that threads can process the
/// blocks in parallel.
///
/// Only the preceding text shows where a record ends: a line break in a quoted field does not end a row, but
/// a line break after a stray quote does. One thread at a time therefore reads bytes, and finds the end of
/// the last record in these bytes. This step is a small part of the work. The blocks are always exact, even
/// for pipes and compressed files. See `DelimitedPass.nextBlock` and `JSONStream.nextBlock`.
///
/// CSV, TSV and JSON Lines are divided. A file of another format is one block. From a record that exceeds the
/// record limit, the rest of a file is one block, too.
package final class RecordBlocks {
  private enum Stage: ~Copyable {
    case unopened
    case rows(DelimitedPass)
    case lines(JSONStream)
    case ended
  }

  private let reader: ExportReader
  private let observer: ReadObserver?
  private var stage = Stage.unopened
  private let pool: BlockPool

  init(_ reader: ExportReader, from pool: BlockPool, observing observe: ((RawSpan) -> Void)?) {
    self.reader = reader
    self.pool = pool
    observer = observe.map { ReadObserver($0) }
  }

  /// Returns the next block in file order; `nil` after the last block. A file has at least one block, which
  /// may be empty.
  ///
  /// - Throws: `ExportError`, possibly for bytes after the returned blocks. The caller must not request
  ///   another block after an error.
  package func next() throws(ExportError) -> RecordBlock? {
    switch exchange(.ended) {
    case .ended: return nil
    case .unopened:
      let observe = observer.map { observer in { observer.read($0) } }
      switch reader.format {
      case .csv, .tsv:
        let pass = try reader.delimitedPass(observing: observe, capacity: reader.blockSize)
        if pass.window.isAsOnDisk { observer?.deferToBlocks() }
        return try next(of: pass)
      case .jsonl:
        let stream = try reader.jsonStream(observing: observe, capacity: reader.blockSize)
        if stream.window.isAsOnDisk { observer?.deferToBlocks() }
        return try next(of: stream)
      default:
        let reader = reader
        return rest(isWhole: true) { try reader.forEachRecord(observing: observe, $0) }
      }
    case .rows(let pass): return try next(of: pass)
    case .lines(let stream): return try next(of: stream)
    }
  }

  private func next(of pass: consuming DelimitedPass) throws(ExportError) -> RecordBlock? {
    guard let (block, start, isLast) = try pass.nextBlock(taking: pool.take()) else {
      return rest(RestOfPass(pass, observer).forEach)
    }
    let header = pass.header
    stage = isLast ? .ended : .rows(pass)
    return self.block(.rows(block, start: start, header), block, isLast: isLast)
  }

  private func next(of stream: consuming JSONStream) throws(ExportError) -> RecordBlock? {
    guard let (block, start, isLast) = try stream.nextBlock(taking: pool.take()) else {
      return rest(RestOfLines(reader, stream, observer).forEach)
    }
    stage = isLast ? .ended : .lines(stream)
    return self.block(.lines(block, start: start), block, isLast: isLast)
  }

  private func block(_ content: RecordBlock.Content, _ block: WindowBlock, isLast: Bool) -> RecordBlock {
    RecordBlock(
      reader: reader, content: content, isLast: isLast, isRest: false,
      unobserved: observer?.takeOver(block) ?? 0..<0)
  }

  private func rest(
    isWhole: Bool = false,
    _ pass: @escaping (_ body: (borrowing Record) throws -> Void) throws -> ReadSummary
  ) -> RecordBlock {
    RecordBlock(
      reader: reader, content: .rest(RestOfFile(pass)), isLast: true, isRest: !isWhole, unobserved: 0..<0)
  }

  private func exchange(_ next: consuming Stage) -> Stage {
    var current = next
    swap(&current, &stage)
    return current
  }
}

extension ExportReader {
  /// Divides the file into blocks of whole records, for several threads.
  ///
  /// The observer receives the file's bytes in one of two ways. If the bytes on disk differ from the blocks,
  /// or the file is not divided, the reading thread calls `observe`. Otherwise, the thread that processes a
  /// block calls `RecordBlock.observe`. These calls must be made for one block at a time, in file order, and
  /// before the rest of the file is read.
  ///
  /// - Parameters:
  ///   - pool: Provides the memory of blocks.
  ///   - observe: Called with the file's bytes in order as they are on disk, before decompression.
  /// - Returns: The sequence of blocks. The file is not opened yet.
  package func blocks(
    from pool: BlockPool, observing observe: ((RawSpan) -> Void)? = nil
  ) -> RecordBlocks {
    RecordBlocks(self, from: pool, observing: observe)
  }
}

/// Reuses the memory of processed blocks, because fresh memory for a block costs more time than parsing the
/// block.
package final class BlockPool: @unchecked Sendable {
  // This lock protects `spares`. It is a dispatch queue instead of a `Mutex`, because the thread sanitizer
  // does not support `Mutex` on Linux and reports false races.
  private let lock = DispatchQueue(label: "block pool")
  private var spares: [WindowMemory] = []

  package init() {}

  func take() -> WindowMemory? { lock.sync { spares.popLast() } }

  /// Takes back the memory of a processed block.
  package func giveBack(_ block: RecordBlock) {
    // A buffer that grew for one long record is released.
    guard let memory = block.memory, memory.capacity <= block.reader.blockSize else { return }
    lock.sync { spares.append(memory) }
  }
}

/// Stores the pass in an object, because closures cannot capture a noncopyable value.
private final class RestOfPass {
  private let observer: ReadObserver?
  private var pass: DelimitedPass?

  init(_ pass: consuming DelimitedPass, _ observer: ReadObserver?) {
    self.observer = observer
    self.pass = consume pass
  }

  func forEach(_ body: (borrowing Record) throws -> Void) throws -> ReadSummary {
    guard let pass = pass.take() else { preconditionFailure("the blocks of a file were read twice") }
    observer?.resume(from: pass.window)
    return try pass.forEach(body)
  }
}

private final class RestOfLines {
  private let reader: ExportReader
  private let observer: ReadObserver?
  private var stream: JSONStream?

  init(_ reader: ExportReader, _ stream: consuming JSONStream, _ observer: ReadObserver?) {
    self.reader = reader
    self.observer = observer
    self.stream = consume stream
  }

  func forEach(_ body: (borrowing Record) throws -> Void) throws -> ReadSummary {
    guard let stream = stream.take() else { preconditionFailure("the blocks of a file were read twice") }
    observer?.resume(from: stream.window)
    let lines = stream.line - 1
    var pass = reader.pass(over: stream)
    try pass.forEachLine(after: lines, body)
    return pass.finished()
  }
}

/// Passes the bytes of a file to an observer, in order and as they are on disk.
///
/// If the blocks contain the same bytes as the file, the thread that processes a block also passes the
/// block's bytes to the observer. A digest of the file thus does not delay the reading. All other bytes come
/// from the reading thread.
///
/// Only one thread at a time may use an observer.
private final class ReadObserver {
  private let body: (RawSpan) -> Void
  private var isDeferred = false
  /// The offset in the file up to which bytes were observed or assigned to blocks.
  private var end = 0

  init(_ body: @escaping (RawSpan) -> Void) { self.body = body }

  /// Receives bytes while they are being read.
  func read(_ bytes: RawSpan) {
    if isDeferred { return }
    end += bytes.byteCount
    body(bytes)
  }

  /// Makes the observer receive all further bytes block by block.
  func deferToBlocks() { isDeferred = true }

  /// Assigns bytes to a new block, and returns the range of these bytes that the observer has not received
  /// yet.
  func takeOver(_ block: WindowBlock) -> Range<Int> {
    guard isDeferred else { return block.count..<block.count }
    let first = min(max(end - block.position, 0), block.count)
    end = max(end, block.position + block.count)
    return first..<block.count
  }

  /// Observes the bytes of the window that no block contains. After this call, all bytes are observed while
  /// they are being read.
  func resume(from window: borrowing ByteWindow) {
    guard isDeferred else { return }
    isDeferred = false
    let bytes = unsafe window.bytes.bytes
    read(bytes.extracting(min(max(end - window.position, 0), bytes.byteCount)..<bytes.byteCount))
  }
}

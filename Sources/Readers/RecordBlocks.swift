import Dispatch

/// Cuts an export into blocks of whole records while it goes by, for threads that go through them at the same time.
///
/// Where a record ends is known only to who has read what comes before it: a quoted field may hold line breaks, and a
/// stray quote may not. So one thread at a time reads, and finds where the last record of what it has read ends; that
/// is a small part of the work, and needs no second look at what a guess got wrong. It serves pipes and what compressed
/// files expand to as well. See `DelimitedPass.nextBlock` and `JSONStream.nextBlock` for how.
///
/// CSV, TSV and JSON Lines are cut. A file of another format is one block; so is the rest of a file behind a record
/// that is longer than records may be.
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

  /// The next block in file order, `nil` behind the last one. A file has at least one, which may be empty.
  ///
  /// - Throws: `ExportError`, also of records behind those that were handed out; nothing may be asked for afterwards.
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
  /// The file as blocks of whole records, for several threads.
  ///
  /// - Parameters:
  ///   - pool: Where blocks have their memory from.
  ///   - observe: Called with the file's bytes in order as they are on disk, compressed ones compressed: by whoever asks
  ///     for the next block, or goes through the records of a file that is not cut. Bytes that stand in a block as they do
  ///     on disk are left to `RecordBlock.observe`, for whoever has the block: no two at a time, in the order of blocks,
  ///     and all of them before anybody goes through a rest of the file that is not cut.
  /// - Returns: What hands out the blocks; nothing is opened yet.
  package func blocks(
    from pool: BlockPool, observing observe: ((RawSpan) -> Void)? = nil
  ) -> RecordBlocks {
    RecordBlocks(self, from: pool, observing: observe)
  }
}

/// Memory of blocks whose records were gone through, for the next blocks: fresh memory costs more than parsing it.
package final class BlockPool: @unchecked Sendable {
  // A lock that the thread sanitizer knows.
  private let lock = DispatchQueue(label: "block pool")
  private var spares: [WindowMemory] = []

  package init() {}

  func take() -> WindowMemory? { lock.sync { spares.popLast() } }

  /// Takes back the memory of a block whose records were gone through.
  package func giveBack(_ block: RecordBlock) {
    // What has grown for one long record is not kept.
    guard let memory = block.memory, memory.capacity <= block.reader.blockSize else { return }
    lock.sync { spares.append(memory) }
  }
}

/// Boxes for what cannot be captured.
private final class RestOfPass {
  private let observer: ReadObserver?
  private var pass: DelimitedPass?

  init(_ pass: consuming DelimitedPass, _ observer: ReadObserver?) {
    self.observer = observer
    self.pass = consume pass
  }

  func forEach(_ body: (borrowing Record) throws -> Void) throws -> ReadSummary {
    guard let pass = pass.take() else { preconditionFailure("a file was gone through twice") }
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
    guard let stream = stream.take() else { preconditionFailure("a file was gone through twice") }
    observer?.resume(from: stream.window)
    let lines = stream.line - 1
    var pass = reader.pass(over: stream)
    try pass.forEachLine(after: lines, body)
    return pass.finished()
  }
}

/// Hands the bytes of a file to an observer, in order and as they are on disk: as they are read, or, once blocks of the file are
/// the same bytes, with each block, by whoever has it. So a digest of them does not hold up the reading.
///
/// Used by one thread at a time.
private final class ReadObserver {
  private let body: (RawSpan) -> Void
  private var isDeferred = false
  /// Up to where in the file bytes were observed, or handed out to be observed.
  private var end = 0

  init(_ body: @escaping (RawSpan) -> Void) { self.body = body }

  /// Is told of bytes that were read.
  func read(_ bytes: RawSpan) {
    if isDeferred { return }
    end += bytes.byteCount
    body(bytes)
  }

  /// From here on bytes are observed with their blocks.
  func deferToBlocks() { isDeferred = true }

  /// Which bytes of a block that is handed out are still to be observed.
  func takeOver(_ block: WindowBlock) -> Range<Int> {
    guard isDeferred else { return block.count..<block.count }
    let first = min(max(end - block.position, 0), block.count)
    end = max(end, block.position + block.count)
    return first..<block.count
  }

  /// Observes what a window holds, behind which there are no blocks, and from here on again what is read.
  func resume(from window: borrowing ByteWindow) {
    guard isDeferred else { return }
    isDeferred = false
    let bytes = unsafe window.bytes.bytes
    read(bytes.extracting(min(max(end - window.position, 0), bytes.byteCount)..<bytes.byteCount))
  }
}

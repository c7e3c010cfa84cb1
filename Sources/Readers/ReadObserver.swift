/// Hands the bytes of a file to an observer, in order and as they are on disk: as they are read, or, once blocks of the file are
/// the same bytes, with each block, by whoever has it. So a digest of them does not hold up the reading.
///
/// Used by one thread at a time.
final class ReadObserver {
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

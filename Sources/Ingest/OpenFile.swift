import Dispatch
internal import Exports
internal import Tables

/// A file on its way through the threads that read it.
///
/// Its digest is that of whoever has a block, one after the other (`Turn`), and of whoever reads, where bytes are observed as they
/// are read; its summary that of whoever merges.
final class OpenFile: @unchecked Sendable {
  let file: ExportFile
  /// Its place among the files of the source.
  let number: Int
  let stamp: ExportStamp?
  let digest = RunningDigest()
  var summary = ReadSummary()
  /// Raised when the block before is through.
  private var last: DispatchSemaphore?

  init(_ file: ExportFile, number: Int) {
    self.file = file
    self.number = number
    stamp = ExportStamp(file.path)
  }

  /// A block's turn at the digest.
  struct Turn: Sendable {
    fileprivate let before: DispatchSemaphore?
    fileprivate let after: DispatchSemaphore

    /// Calls `body` once the block before is through. Whoever has that is at it, and never waits for a later one.
    func take(_ body: () -> Void) {
      before?.wait()
      body()
      after.signal()
    }
  }

  /// The turn of the next block: asked for in the order of blocks, and taken once.
  func nextTurn() -> Turn {
    let turn = Turn(before: last, after: DispatchSemaphore(value: 0))
    last = turn.after
    return turn
  }
}

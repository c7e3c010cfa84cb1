internal import Concurrency
internal import Readers

/// The number of threads and the block sizes for reading exports. The result does not depend on them.
package struct Workers: Sendable {
  /// The maximum number of threads.
  package var threads = 1
  /// The approximate number of bytes in a block. Tests use small blocks.
  var blockSize = ExportReader.usualBlockSize
  /// The maximum number of bytes of a record; `nil` for the limit of `ExportReader`. Tests use small limits.
  var recordLimit: Int?
  /// Whether to read only the first block of each file. A file whose format cannot be read in
  /// blocks is read whole.
  var readsBeginnings = false
  /// Counts the bytes of the files that were read.
  var progress = WorkProgress()

  package init(threads: Int = 1, blockSize: Int = ExportReader.usualBlockSize, recordLimit: Int? = nil) {
    self.threads = threads
    self.blockSize = blockSize
    self.recordLimit = recordLimit
  }
}

internal import Readers

/// What goes through exports. The result depends on none of it.
package struct Workers: Sendable {
  /// At most so many threads.
  package var threads = 1
  /// About how many bytes each is given at once: tests try small ones.
  var blockSize = ExportReader.usualBlockSize
  /// The most bytes of a record, if not those of `ExportReader`: tests try few.
  var recordLimit: Int?

  package init(threads: Int = 1, blockSize: Int = ExportReader.usualBlockSize, recordLimit: Int? = nil) {
    self.threads = threads
    self.blockSize = blockSize
    self.recordLimit = recordLimit
  }
}

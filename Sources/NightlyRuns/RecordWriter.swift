internal import CommandLine
internal import Concurrency
internal import Dispatch
package import Files
package import RunSchemas

/// Writes the records of a run in the background, in order. Each write waits for the disk twice, and the next
/// stage runs during this time.
package final class RecordWriter: Sendable {
  private let directory: String
  private let queue = DispatchQueue(label: "run.json")
  private let failure = Guarded<FileError?>(nil)

  /// Creates a writer of `run.json` in the run directory `directory`.
  package init(_ directory: String) {
    self.directory = directory
  }

  /// Starts to write `record`.
  ///
  /// - Throws: `FileError` if an earlier record could not be written.
  package func write(_ record: RunRecord) throws(FileError) {
    queue.async { [self] in
      do throws(FileError) {
        try record.write(to: directory)
      } catch {
        failure.withLock { $0 = $0 ?? error }
      }
    }
    try check()
  }

  /// Waits until the last record is on disk.
  ///
  /// - Throws: `FileError` for the first record that could not be written.
  package func finish() throws(FileError) {
    queue.sync {}
    try check()
  }

  private func check() throws(FileError) {
    if let error = failure.withLock({ $0 }) { throw error }
  }
}

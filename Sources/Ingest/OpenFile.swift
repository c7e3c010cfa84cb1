internal import Exports
internal import Tables

/// A file on its way through the threads that read it.
///
/// Its digest is that of whoever reads the file, one thread at a time; its summary that of whoever merges.
final class OpenFile: @unchecked Sendable {
  let file: ExportFile
  /// Its place among the files of the source.
  let number: Int
  let stamp: ExportStamp?
  let digest = RunningDigest()
  var summary = ReadSummary()

  init(_ file: ExportFile, number: Int) {
    self.file = file
    self.number = number
    stamp = ExportStamp(file.path)
  }
}

/// The digest of bytes that go by.
final class RunningDigest {
  private(set) var bytes = 0
  private var hash: SHA256? = SHA256()

  func update(_ span: RawSpan) {
    bytes += span.byteCount
    hash?.update(span)
  }

  /// The digest of all that went by; asked for once.
  func finish() -> String {
    guard let hash = hash.take() else { preconditionFailure("a digest is finished once") }
    return hash.finish()
  }
}

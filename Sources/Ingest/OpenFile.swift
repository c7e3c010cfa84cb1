internal import Files
internal import Readers

/// A file on its way through the threads that read it.
///
/// Its digest is that of whoever has blocks pass, one after the other, or of whoever reads, where bytes are observed as they are
/// read; its summary that of whoever merges.
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

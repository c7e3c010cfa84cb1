package import Files

/// An invented export of one product: its sizes, its seed and the files that it writes.
///
/// The module invents exports for tests, tutorials and benchmarks. It must not depend on `Ingest`, `PipelineFile` or `Text`:
/// the files that it writes must not share code with the program that reads and checks them.
///
/// Everything in an export is invented. The same seed and sizes give the same bytes. Random numbers are the same on every
/// machine; `log`, `exp` and `cos` come from the system and may differ in their last bit on another kind of machine. Their
/// results are therefore rounded (positions to 5 decimals, counts to whole numbers) or only compared with a random number,
/// so that another byte is very unlikely. The newest row of an export has a fixed time: an export that depended on today
/// would be another one tomorrow.
package protocol SyntheticExport: Sendable {
  /// The counts of the export, made while it is written.
  associatedtype Summary: Encodable & Sendable

  /// The names of the files that the export consists of.
  var fileNames: [String] { get }

  /// Writes all files.
  ///
  /// - Parameters:
  ///   - files: Receives the files.
  ///   - threads: How many threads may be used; the bytes do not depend on it.
  /// - Returns: The counts of the files.
  /// - Throws: `FileError` if one cannot be written.
  func write(to files: inout ExportWriter, threads: Int) throws(FileError) -> Summary
}

extension SyntheticExport {
  /// Writes the files into `directory` and returns their counts.
  ///
  /// The directory and its missing parents are created. Files of the same names are replaced once all new ones are
  /// complete on the disk.
  ///
  /// - Throws: `FileError`. Nothing is replaced if a file cannot be written.
  package func write(into directory: String, threads: Int = 1) throws(FileError) -> Summary {
    try Directories.create(directory)
    var files = ExportWriter(directory)
    do throws(FileError) {
      let summary = try write(to: &files, threads: threads)
      try files.putInPlace()
      return summary
    } catch {
      files.discard()
      throw error
    }
  }
}

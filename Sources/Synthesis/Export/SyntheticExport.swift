package import Files

/// A synthetic export of one product: its sizes, its seed and its files.
///
/// The module generates exports for tests, tutorials and benchmarks. It does not depend on `Ingest`,
/// `PipelineFile` or `Text`, because an error in code that both writes and reads the exports could stay
/// hidden.
///
/// The same seed and sizes give the same bytes. Random numbers are the same on every machine. The results of
/// the system's `log`, `exp` and `cos` may differ in their last bit on another kind of machine. These results
/// are therefore rounded (positions to 5 decimals, counts to whole numbers), or only compared with random
/// numbers. Different bytes are possible but very unlikely.
///
/// The newest row of an export has a fixed time. If the export depended on the current day, it could not be
/// reproduced.
package protocol SyntheticExport: Sendable {
  /// The counts of the export.
  associatedtype Summary: Encodable & Sendable

  /// The names of the export's files.
  var fileNames: [String] { get }

  /// Writes all files.
  ///
  /// - Parameters:
  ///   - files: Receives the files.
  ///   - threads: The maximum number of threads. The bytes are the same for any number.
  /// - Returns: The counts of the files.
  /// - Throws: `FileError` if a file cannot be written.
  func write(to files: inout ExportWriter, threads: Int) throws(FileError) -> Summary
}

extension SyntheticExport {
  /// Writes the files into `directory` and returns their counts.
  ///
  /// The directory and missing parents are created. Files with the same names are replaced once all new files
  /// are complete and on disk.
  ///
  /// - Throws: `FileError` if a file cannot be written or renamed. Files are replaced only after all files
  ///   were written.
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

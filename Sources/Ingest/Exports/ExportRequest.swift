internal import PipelineFile
internal import Readers

/// The fields that a source reads from its files, and the options for parsing them.
struct ExportRequest: Sendable {
  var source: Pipeline.Source
  /// The directory to which relative paths in a DuckDB query refer.
  var directory: String
  var fields: [String]
  /// Fields that a file may lack.
  var optional: Set<String> = []
  /// The fields that may contain a list. Each value is the separator for a list in text form.
  var lists: [String: String] = [:]

  /// Opens a reader of `file`. With `allowsEmpty`, a delimited file without bytes has no rows instead of an
  /// error.
  ///
  /// - Throws: `ExportError` for an invalid field or option.
  func reader(of file: ExportFile, allowsEmpty: Bool) throws(ExportError) -> ExportReader {
    var options = source.options
    options.allowsEmpty = allowsEmpty
    options.workingDirectory = directory
    return try ExportReader(
      file: file.path, format: source.format, fields: fields, optional: optional, lists: lists,
      options: options)
  }
}

internal import PipelineFile
internal import Readers

/// The fields that a source reads from its files, and how.
struct ExportRequest: Sendable {
  var source: Pipeline.Source
  /// The directory that relative paths of a query refer to.
  var directory: String
  var fields: [String]
  /// Optional fields: a file need not have them.
  var optional: Set<String> = []
  /// Fields that may hold a list, with the separator of the list's elements in a text.
  var lists: [String: String] = [:]

  /// - Throws: `ExportError` about a field or an option.
  func reader(of file: ExportFile) throws(ExportError) -> ExportReader {
    var options = source.options
    options.workingDirectory = directory
    return try ExportReader(
      file: file.path, format: source.format, fields: fields, optional: optional, lists: lists,
      options: options)
  }
}

internal import PipelineFile
internal import Readers

/// What is asked of the files of a source.
struct ExportRequest: Sendable {
  var source: Pipeline.Source
  /// Where relative paths of a query start.
  var directory: String
  var fields: [String]
  /// Fields that a file need not have.
  var optional: Set<String> = []
  /// Fields where a list may stand, with what parts its elements in a text.
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

internal import Exports
internal import PipelineFile
internal import Tables

/// Reads the files of a source one after the other, and keeps what is to be known of them besides their rows.
struct SourceReading: Sendable {
  /// The files that were read, with their digests as they were read.
  private(set) var inputs: [FileDigest] = []
  /// Their versions, to see whether they have changed since. No dictionary: names whose accents are spelled in two
  /// ways are two files, and one key.
  private(set) var stamps: [(path: String, stamp: ExportStamp)] = []
  /// Requested fields that no record of any file had.
  private var neverPresent: [String]?
  private var namesSeen: [String] = []

  /// The files of `source`; a query that names its own is one without a path.
  ///
  /// - Throws: `ExportError` where there are none.
  static func files(of source: Pipeline.Source, in pipeline: Pipeline) throws(ExportError) -> [ExportFile] {
    if source.paths.isEmpty { return [ExportFile(shown: "query", path: "")] }
    return try ExportFile.files(named: source.paths, in: pipeline.directory)
  }

  /// Calls `body` with every record of `file`.
  ///
  /// - Throws: `ExportError`, `DuckDBError`; what `body` throws.
  mutating func read(
    _ file: ExportFile, of source: Pipeline.Source, in pipeline: Pipeline, fields: [String],
    optional: Set<String> = [], lists: [String: String] = [:], _ body: (borrowing Record) throws -> Void
  ) throws {
    var options = source.options
    options.workingDirectory = pipeline.directory
    let reader = try ExportReader(
      file: file.path, format: source.format, fields: fields, optional: optional, lists: lists,
      options: options)
    if let stamp = ExportStamp(file.path) { stamps.append((file.path, stamp)) }
    let digest = RunningDigest()
    let summary = try reader.forEachRecord(observing: { digest.update($0) }, body)
    if !file.path.isEmpty {
      inputs.append(
        FileDigest(
          path: file.shown, bytes: digest.bytes, sha256: digest.finish(),
          rows: summary.records + summary.faults))
    }
    for name in summary.namesSeen where namesSeen.count < 200 && !namesSeen.contains(name) {
      namesSeen.append(name)
    }
    // A file without records says nothing about fields.
    guard summary.records > 0 else { return }
    neverPresent = neverPresent.map { $0.filter(summary.neverPresent.contains) } ?? summary.neverPresent
  }

  /// Requested fields of JSON exports that no record had, after `required` ones were asked for.
  ///
  /// - Throws: `missing_column` for one of `required`: a header's fields were checked before.
  func absentFields(required: [String], of source: Pipeline.Source) throws(ExportError) -> [String] {
    let absent = neverPresent ?? []
    guard let field = absent.first(where: required.contains) else { return absent }
    let summary = ReadSummary(neverPresent: absent, namesSeen: namesSeen)
    let nearest = summary.nearestName(to: field).map { " The nearest name is '\(shown($0))'." } ?? ""
    throw ExportError(
      .missingColumn, file: source.label,
      reason: "no record has '\(field)'.\(nearest) Found: \(listed(namesSeen)). Correct the "
        + "pipeline file; an attribute that nobody has may be marked 'optional: true'.")
  }
}

/// The digest of bytes that go by. A class, because the closure that watches them outlives no value.
private final class RunningDigest {
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

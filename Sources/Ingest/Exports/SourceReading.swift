internal import Concurrency
internal import Files
internal import PipelineFile
internal import Readers

/// Reads the files of a source on several threads, and records their digests, versions and missing fields.
struct SourceReading: Sendable {
  /// The files that were read, each with the digest of the bytes read.
  private(set) var inputs: [FileDigest] = []
  /// The stamps of the files, to detect later changes. This is not a dictionary, because two file names that
  /// differ only in the encoding of an accent would be the same `String` key.
  private(set) var stamps: [(path: String, stamp: ExportStamp)] = []
  /// Requested fields that no record of any file has; `nil` until a file with a record was read.
  private var neverPresent: [String]?
  private var namesSeen: [String] = []
  private var ends = FileEnds()
  /// For each file without a line break at its end, the last row.
  private var unendedRows: [(file: (number: Int, path: String), row: Int)] = []

  /// Returns the files of `source`. A query that names its own files counts as one file without a path.
  ///
  /// - Throws: The errors of `ExportFile.files`; `ExportError` with `odd_file` for a file that looks like a
  ///   copy or a leftover.
  static func files(of source: Pipeline.Source, in pipeline: Pipeline) throws(ExportError) -> [ExportFile] {
    if source.paths.isEmpty { return [ExportFile(shown: "query", path: "")] }
    let sidecars = pipeline.sidecars
    let files = try ExportFile.files(named: source.paths, in: pipeline.directory).filter {
      source.paths.contains($0.shown) || !sidecars.contains(Directories.name(of: $0.path))
    }
    if source.allowsIncomplete { return files }
    let odd = OddFiles.among(files, named: source.paths, source.format)
    guard let first = odd.first else { return files }
    let others = odd.count == 1 ? "" : " (and \(odd.count - 1) more)"
    throw ExportError(
      .oddFile, file: first.path,
      reason:
        "this file\(others) matches 'path', but probably does not belong to the export: it looks like a copy, a "
        + "leftover or another format; remove such files, list the wanted files in 'path', or skip this check "
        + "with 'incomplete: allowed' for this source in the pipeline file")
  }

  /// The maximum number of rows for which memory is reserved in advance. The limit is needed because address
  /// space may be limited, and because the estimate is too high if the sampled block has unusually short
  /// rows.
  private static let mostExpected = 1 << 22

  /// Estimates the number of rows of `files` from one block, to reserve memory. The block must not reach the
  /// end of its file.
  ///
  /// The estimate is slightly high for plain files and too low for compressed files and pipes.
  static func rows(of files: [ExportFile], asIn rowsOfBlock: Int, by workers: Workers) -> Int {
    let bytes = files.reduce(0.0) { $0 + Double(ExportStamp($1.path)?.bytes ?? 0) }
    let blocks = max(1, bytes / Double(workers.blockSize))
    return Int(min(Double(rowsOfBlock) * blocks * 1.05, Double(mostExpected)))
  }

  /// Reads the records of `files` in blocks of whole records, on several threads.
  ///
  /// If only the beginning of a file is read, the file has no digest, and no field counts as absent.
  ///
  /// - Parameters:
  ///   - files: The files of the source.
  ///   - request: The fields to read.
  ///   - workers: The threads and block sizes.
  ///   - body: Turns the records of one block into a value, on any thread.
  ///   - merge: Receives the number of a file and the value of its next block. It is called in the order of
  ///     files and records, on one thread at a time.
  /// - Throws: `ExportError`, `DuckDBError`, or an error of `body`. If several errors occur, the first one in
  ///   the order of records is thrown.
  mutating func read<Rows: Sendable>(
    _ files: [ExportFile], _ request: ExportRequest, by workers: Workers,
    _ body: @Sendable (_ block: RecordBlock) throws -> (Rows, ReadSummary),
    merge: (_ file: Int, _ rows: Rows) -> Void
  ) throws {
    let pool = BlockPool()
    // Some tools write a file without bytes for a part without rows.
    let allowsEmpty = files.count > 1 && files.contains(where: \.hasBytes)
    var opened = 0
    var current: (file: OpenFile, blocks: RecordBlocks)?
    try mapInOrder(threads: workers.threads) {
      if current == nil {
        guard opened < files.count else { return nil as (OpenFile, RecordBlock)? }
        let file = OpenFile(files[opened], number: opened)
        opened += 1
        var reader = try request.reader(of: files[file.number], allowsEmpty: allowsEmpty)
        reader.blockSize = workers.blockSize
        if let limit = workers.recordLimit { reader.recordLimit = limit }
        current = (
          file,
          reader.blocks(from: pool) { bytes in
            file.digest.update(bytes)
            workers.progress.add(bytes.byteCount)
          }
        )
      }
      guard let (file, blocks) = current, let block = try blocks.next() else {
        preconditionFailure("a file ends with its last block")
      }
      if block.isLast || workers.readsBeginnings { current = nil }
      return (file, block)
    } _: { file, block in
      let read = BlockRead<Rows>(block, of: file)
      if !block.isRest { read.go(body) }
      return read
    } pass: { (read: BlockRead<Rows>) in
      // A block is digested after it is parsed, so that no thread waits for the thread of an earlier block.
      // Bytes that the closure above has already digested are left out.
      read.block.observe { bytes in
        read.file.digest.update(bytes)
        workers.progress.add(bytes.byteCount)
      }
      if read.block.isRest { read.go(body) }
      pool.giveBack(read.block)
    } merge: { (read: BlockRead<Rows>) in
      let (rows, summary) = try read.get()
      merge(read.file.number, rows)
      read.file.summary.add(summary)
      if read.block.isLast { try finish(read.file, isRequired: !request.source.allowsIncomplete) }
    }
    if [.csv, .tsv].contains(request.source.format) { unended = ends.unended }
    if !request.source.allowsIncomplete { try ends.check(request.source) }
  }

  /// The number of records in the files, including rows with a fault and rows that the source leaves out.
  var rows: Int { ends.rows }

  /// The number of delimited files whose last row has no line break; `nil` for other formats.
  private(set) var unended: Int?

  /// Checks the last rows of delimited files. A last row counts as truncated if it is invalid and has no line
  /// break.
  ///
  /// - Parameters:
  ///   - rejects: The rejects of the source, with its files in the order of reading.
  ///   - source: The source.
  /// - Throws: `ExportError` with `incomplete`.
  func checkLastRows(_ rejects: RejectLog, of source: Pipeline.Source) throws(ExportError) {
    guard !source.allowsIncomplete else { return }
    for (file, row) in unendedRows where rejects.lastRejected(in: file.number) == row {
      throw ExportError(
        .incomplete, file: file.path, place: .line(row),
        reason:
          "the last row has an invalid value and no line break, so the file ends inside a row; "
          + FileEnds.advice)
    }
  }

  /// Records the digest, the stamp and the fields of a file that was read.
  ///
  /// - Throws: `ExportError` with `incomplete` if `isRequired` is true and the file was truncated.
  private mutating func finish(_ open: OpenFile, isRequired: Bool) throws(ExportError) {
    let (file, summary) = (open.file, open.summary)
    if isRequired, let gap = summary.gap {
      throw ExportError(
        .incomplete, file: file.path, place: gap.place,
        reason: "\(gap.reason); \(FileEnds.advice)")
    }
    ends.add(file, summary)
    if let row = summary.unendedRow { unendedRows.append(((open.number, file.path), row)) }
    if let stamp = open.stamp { stamps.append((file.path, stamp)) }
    if !file.path.isEmpty {
      inputs.append(
        FileDigest(
          path: file.shown, bytes: open.digest.bytes, sha256: open.digest.finish(),
          rows: summary.records + summary.faults))
    }
    for name in summary.namesSeen where namesSeen.count < 200 && !namesSeen.contains(name) {
      namesSeen.append(name)
    }
    // A file without records does not reveal which fields exist.
    guard summary.records > 0 else { return }
    neverPresent = neverPresent.map { $0.filter(summary.neverPresent.contains) } ?? summary.neverPresent
  }

  /// Returns the requested fields that no record of a JSON export has. The array is empty for delimited
  /// files, because their header was checked before.
  ///
  /// - Throws: `ExportError` with `missing_column` if one of these fields is in `required`.
  func absentFields(required: [String], of source: Pipeline.Source) throws(ExportError) -> [String] {
    let absent = neverPresent ?? []
    guard let field = absent.first(where: required.contains) else { return absent }
    let summary = ReadSummary(neverPresent: absent, namesSeen: namesSeen)
    let nearest = summary.nearestName(to: field).map { " The nearest name is '\(shown($0))'." } ?? ""
    throw ExportError(
      .missingColumn, file: source.label,
      reason: "no record has '\(field)'.\(nearest) Found: \(listed(namesSeen)). Correct the "
        + "pipeline file. If '\(field)' is an attribute that may be absent from all rows, mark it "
        + "'optional: true'.")
  }
}

/// A block of a file, and the result of reading its records. Only one thread uses it at a time.
private final class BlockRead<Rows: Sendable>: @unchecked Sendable {
  let block: RecordBlock
  let file: OpenFile
  private var result: Result<(Rows, ReadSummary), any Error>?

  init(_ block: RecordBlock, of file: OpenFile) {
    self.block = block
    self.file = file
  }

  /// Calls `body` with the block and stores the result. Call this method once.
  func go(_ body: (RecordBlock) throws -> (Rows, ReadSummary)) {
    result = Result { try body(block) }
  }

  /// Returns the stored result and releases it. Call this method once.
  ///
  /// - Throws: The error that `body` threw.
  func get() throws -> (Rows, ReadSummary) {
    guard let result = result.take() else { preconditionFailure("a block was not read") }
    return try result.get()
  }
}

/// A file that the reading threads are reading.
///
/// One thread at a time computes the digest: the thread that reads a block, or the thread that passes on the
/// blocks in order. The merging thread sets the summary.
private final class OpenFile: @unchecked Sendable {
  let file: ExportFile
  /// The index of the file among the files of the source.
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

extension Pipeline {
  /// The file names in `expect.complete`. These files accompany exports, but are not exports themselves.
  fileprivate var sidecars: Set<String> {
    let expectations =
      entities.map(\.expectations) + entities.compactMap(\.checkIns?.expectations)
      + interactions.map(\.expectations) + requests.map(\.expectations)
    return Set(expectations.flatMap { [$0.marker, $0.rowsIn] }.compactMap(\.self).map(Directories.name(of:)))
  }
}

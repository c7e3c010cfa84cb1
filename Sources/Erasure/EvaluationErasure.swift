internal import Files
internal import Foundation
internal import PipelineFile
internal import Text
internal import Tombstones

/// Removes people from an evaluation: their lines in the files that contain ids, and the slices and groups
/// for words that only these people had. The metrics stay, because they are means over many people.
struct EvaluationErasure {
  let pipeline: Pipeline
  let ids: ErasedIDs
  let lost: LostWords

  /// The ids in one line, in the encoding of the file.
  private struct LineIDs {
    var user: [UInt8]?
    var candidate: [UInt8]?
  }

  /// The columns of a CSV file that contain ids.
  private struct IDColumns {
    let user: Int?
    let candidate: Int?

    init(_ header: CSVRecord) {
      func place(_ name: String) -> Int? {
        (0..<header.count).first { header[$0].elementsEqual(name.utf8) }
      }
      (user, candidate) = (place("user_id"), place("candidate_id"))
    }
  }

  /// Writes the stage directory `evaluation` of `run` from `source`, the evaluation of the old run.
  func write(from source: String, into run: String) throws {
    var manifest = try Manifest(of: source)
    // Users and candidates can belong to different entities, and the same id can occur in both.
    let kind = manifest.counts["interactions"]?.stringValue.flatMap { pipeline.interaction($0) }
    let users = kind.map { ids.of($0.user.entity) } ?? ids.all
    let candidates = kind.map { ids.of($0.candidate.entity) } ?? ids.all
    var directory = try StageDirectory("evaluation", in: run)
    for output in manifest.outputs {
      let path = source + "/" + output.path
      var text: [UInt8]
      switch (output.path as NSString).pathExtension {
      case "json":
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(copying: MappedFile(checking: path)))
        text = value.without(lost).pretty
      case "csv":
        text = try keptRows(path, users, candidates)
      case "run", "qrels":
        text = try kept(
          path, Set(users.map(Self.percentEncoded)), Set(candidates.map(Self.percentEncoded))
        ) { (line) throws(FileError) in
          let fields = line.split(separator: 0x20, maxSplits: 3)
          return LineIDs(
            user: fields.first.map { Array($0) }, candidate: fields.count > 2 ? Array(fields[2]) : nil)
        }
      default: throw Self.unsupported(path)
      }
      let rows = output.rows.map { _ in text.count { $0 == 0x0A } - (output.path.hasSuffix(".csv") ? 1 : 0) }
      try directory.write(output.path, rows: rows) { (writer) throws(FileError) in try writer.append(text) }
    }
    manifest.counts = manifest.counts.without(lost).adding(erased: ["people": ids.count])
    manifest.parents = try manifest.parents(in: run)
    _ = try directory.complete(manifest)
  }

  /// Returns the error for a file of a run from which this version cannot remove people.
  static func unsupported(_ path: String) -> FileError {
    FileError(
      .write, path, reason: "this version of Nightjar cannot remove people from this kind of file",
      advice: DecodingFault.adviceForRuns)
  }

  /// Returns the header of a CSV file and the rows without the id of an erased person.
  private func keptRows(
    _ path: String, _ users: Set<[UInt8]>, _ candidates: Set<[UInt8]>
  ) throws(FileError) -> [UInt8] {
    var columns: IDColumns?
    return try kept(path, Set(users.map(CSVText.field)), Set(candidates.map(CSVText.field))) {
      (line) throws(FileError) in
      guard let record = CSVRecord(line: line.span) else { return LineIDs() }
      guard let columns else {
        let header = IDColumns(record)
        if header.user == nil, header.candidate == nil { throw Self.unsupported(path) }
        columns = header
        return LineIDs()
      }
      return LineIDs(
        user: columns.user.map { record.written($0, in: line) },
        candidate: columns.candidate.map { record.written($0, in: line) })
    }
  }

  /// Returns the lines of a file that do not contain an id of `users` or `candidates`. `idsIn` returns the
  /// ids in a line. It is called only for the first line, and for lines that may contain an erased id.
  private func kept(
    _ path: String, _ users: Set<[UInt8]>, _ candidates: Set<[UInt8]>,
    _ idsIn: ([UInt8]) throws(FileError) -> LineIDs
  ) throws(FileError) -> [UInt8] {
    let texts = users.union(candidates)
    var text: [UInt8] = []
    try MappedFile(checking: path).forEachLine(
      { (line) throws(FileError) in
        let bytes = Array(copying: line)
        if text.isEmpty || texts.contains(where: { ByteOrder.contains($0, in: line) }) {
          let found = try idsIn(bytes)
          if found.user.map(users.contains) ?? false { return }
          if found.candidate.map(candidates.contains) ?? false { return }
        }
        text += bytes
        text.append(0x0A)
      }, path: path)
    return text
  }

  /// Returns `id` in the percent encoding of TREC files. `Evaluation/Output/TrecText.swift` must use the same
  /// encoding.
  private static func percentEncoded(_ id: [UInt8]) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    return id.flatMap { byte in
      (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "%")
        ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
  }
}

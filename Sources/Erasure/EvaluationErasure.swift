internal import Files
internal import Foundation
internal import PipelineFile
internal import Text
internal import Tombstones

/// Removes people from an evaluation: from its files per person. It also removes slices and groups for words
/// that only these people had. The metrics stay, because they are means over many people.
struct EvaluationErasure {
  let pipeline: Pipeline
  let ids: ErasedIDs
  let lost: LostWords

  /// Writes the stage directory `evaluation` of `run` from `source`, the evaluation of the old run.
  func write(from source: String, into run: String) throws {
    var manifest = try Manifest(of: source)
    var directory = try StageDirectory("evaluation", in: run)
    for output in manifest.outputs {
      let path = source + "/" + output.path
      var text: [UInt8]
      switch (output.path as NSString).pathExtension {
      case "json":
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(copying: MappedFile(checking: path)))
        text = value.without(lost).pretty
      case "csv":
        var columns: [Int]?
        text = try kept(path, field: CSVText.field) { line in
          guard let record = CSVRecord(line: line.span) else { return [] }
          guard let columns else {
            columns = Self.idColumns(of: record)
            return []
          }
          return columns.map { record.written($0, in: line) }
        }
      case "run", "qrels":
        text = try kept(path, field: Self.percentEncoded) { line in
          let fields = line.split(separator: 0x20, maxSplits: 3)
          return [0, 2].filter { $0 < fields.count }.map { Array(fields[$0]) }
        }
      default:
        throw FileError(
          .read, path, reason: "this version cannot remove people from it",
          advice: "Remove the run, or use the version of Nightjar that made it.")
      }
      let rows = output.rows.map { _ in text.count { $0 == 0x0A } - (output.path.hasSuffix(".csv") ? 1 : 0) }
      try directory.write(output.path, rows: rows) { (writer) throws(FileError) in try writer.append(text) }
    }
    manifest.counts = manifest.counts.without(lost).adding(erased: ["people": ids.count])
    manifest.parents = try manifest.parents(in: run)
    _ = try directory.complete(manifest)
  }

  /// The columns of a header that contain ids.
  private static func idColumns(of header: CSVRecord) -> [Int] {
    let names = ["user_id", "candidate_id"].map { Array($0.utf8) }
    return (0..<header.count).filter { names.contains(header[$0]) }
  }

  /// The lines of a file whose `places` contain none of the ids. `field` encodes an id as in these places.
  /// `places` always receives the first line, and other lines that may contain an id.
  private func kept(
    _ path: String, field: ([UInt8]) -> [UInt8], places: ([UInt8]) -> [[UInt8]]
  ) throws(FileError) -> [UInt8] {
    let fields = Set(ids.all.map(field))
    var text: [UInt8] = []
    try MappedFile(checking: path).forEachLine(
      { (line) throws(FileError) in
        let bytes = Array(copying: line)
        let mayHold = text.isEmpty || fields.contains { ByteOrder.contains($0, in: line) }
        if mayHold, places(bytes).contains(where: fields.contains) { return }
        text += bytes
        text.append(0x0A)
      }, path: path)
    return text
  }

  /// An id as encoded in TREC files; `Evaluation/Output/TrecText.swift` does the same.
  private static func percentEncoded(_ id: [UInt8]) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    return id.flatMap { byte in
      (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "%")
        ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
  }
}

import Foundation
import Testing
import TestSupport

/// The formats of the exports that `NaughtyNight` reads.
enum NaughtyFormat: String, CaseIterable, CustomTestStringConvertible, Sendable {
  case csv, tsv, jsonl, json, firestore, parse, realtime, parquet
  case gzip = "csv.gz"
  case zstd = "csv.zst"

  var testDescription: String { rawValue }

  /// The missing tool that the format needs, or `nil`.
  var lacks: String? {
    switch self {
    case .parquet: DuckDBTool.isAvailable ? nil : "duckdb: see .ci/tools"
    case .gzip: Command.path(of: "gzip") == nil ? "gzip" : nil
    case .zstd: Command.path(of: "zstd") == nil ? "zstd" : nil
    default: nil
    }
  }

  /// Returns the value of `source` in the pipeline file.
  func source(_ name: String) -> String {
    switch self {
    case .firestore, .parse: "{ path: \(name).json, format: \(rawValue) }"
    case .realtime:
      "{ path: tree.json, format: realtime, table: \(name == "people" ? "people" : "likes/$from/$to") }"
    default: "{ path: \(name).\(rawValue) }"
    }
  }

  /// The names in the pipeline file for a person's id and for the two people of a like.
  var fields: (id: String, from: String, to: String) {
    switch self {
    case .parse: ("objectId", "from", "to")
    case .realtime: ("$key", "$from", "$to")
    default: ("id", "from", "to")
    }
  }
}

/// Writes rows of texts as exports in each format. The code is independent of the product, and
/// third-party programs compress the files.
struct NaughtyExport {
  struct Person {
    var id, name, field: String
    var longitude: Double
  }

  struct Like {
    var from, to, word, at: String
  }

  var people: [Person]
  var likes: [Like]

  /// Writes the files that `NaughtyFormat.source` names into `directory`.
  func write(_ format: NaughtyFormat, to directory: ScratchDirectory) throws {
    switch format {
    case .csv, .tsv: try writeDelimited(format, to: directory)
    case .gzip, .zstd: try writeCompressed(format, to: directory)
    case .jsonl, .parquet: try writeLines(format, to: directory)
    case .realtime:
      try directory.write("{\"people\":\(tree(people)),\"likes\":\(tree(likes))}", to: "tree.json")
    case .json, .firestore, .parse:
      try directory.write(file(people.map { element($0, format) }, format), to: "people.json")
      try directory.write(file(likes.map { element($0, format) }, format), to: "likes.json")
    }
  }

  // MARK: Delimited

  private func writeDelimited(_ format: NaughtyFormat, to directory: ScratchDirectory) throws {
    let delimiter = format == .tsv ? "\t" : ","
    func text(_ rows: [[String]]) -> String {
      rows.map { $0.map(Self.quoted).joined(separator: delimiter) + "\n" }.joined()
    }
    let people = people.map { [$0.id, $0.name, $0.field, "0", "\($0.longitude)"] }
    try directory.write(
      text([["id", "name", "field", "lat", "lon"]] + people), to: "people.\(format.rawValue)")
    let likes = likes.map { [$0.from, $0.to, $0.word, $0.at] }
    try directory.write(text([["from", "to", "word", "at"]] + likes), to: "likes.\(format.rawValue)")
  }

  private func writeCompressed(_ format: NaughtyFormat, to directory: ScratchDirectory) throws {
    try writeDelimited(.csv, to: directory)
    for name in ["people.csv", "likes.csv"] {
      try compress(directory(name), by: format == .gzip ? "gzip" : "zstd")
    }
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.unicodeScalars.map { $0 == "\"" ? "\"\"" : "\($0)" }.joined() + "\""
  }

  // MARK: JSON

  private func writeLines(_ format: NaughtyFormat, to directory: ScratchDirectory) throws {
    try directory.write(people.map { element($0, .jsonl) + "\n" }.joined(), to: "people.jsonl")
    try directory.write(likes.map { element($0, .jsonl) + "\n" }.joined(), to: "likes.jsonl")
    guard format == .parquet else { return }
    let columns = [
      "people": "id: 'VARCHAR', name: 'VARCHAR', field: 'VARCHAR', lat: 'DOUBLE', lon: 'DOUBLE'",
      "likes": "\"from\": 'VARCHAR', \"to\": 'VARCHAR', word: 'VARCHAR', \"at\": 'VARCHAR'",
    ]
    for (name, columns) in columns {
      _ = try DuckDBTool.rows(
        "COPY (FROM read_json('\(directory(name)).jsonl', format = 'newline_delimited', columns = {\(columns)})) "
          + "TO '\(directory(name)).parquet'")
    }
  }

  private func file(_ elements: [String], _ format: NaughtyFormat) -> String {
    let array = "[" + elements.joined(separator: ",\n") + "]"
    return switch format {
    case .firestore: "{\"documents\":\(array)}"
    case .parse: "{\"results\":\(array)}"
    default: array
    }
  }

  private func element(_ person: Person, _ format: NaughtyFormat) -> String {
    let (id, name, field) = (Self.json(person.id), Self.json(person.name), Self.json(person.field))
    switch format {
    case .firestore:
      // Ids of Firestore cannot contain a slash.
      let isName = !person.id.isEmpty && !person.id.contains("/")
      let document = Self.json(
        "projects/x/databases/(default)/documents/people/" + (isName ? person.id : "x"))
      return """
        {"name":\(document),"fields":{\(isName ? "" : "\"id\":{\"stringValue\":\(id)},")\
        "name":{"stringValue":\(name)},"field":{"stringValue":\(field)},\
        "lat":{"integerValue":"0"},"lon":{"doubleValue":\(person.longitude)}}}
        """
    case .parse:
      return "{\"objectId\":\(id),\"name\":\(name),\"field\":\(field),\"lat\":0,\"lon\":\(person.longitude)}"
    default: return "{\"id\":\(id),\"name\":\(name),\"field\":\(field),\"lat\":0,\"lon\":\(person.longitude)}"
    }
  }

  private func element(_ like: Like, _ format: NaughtyFormat) -> String {
    let (from, to, word) = (Self.json(like.from), Self.json(like.to), Self.json(like.word))
    switch format {
    case .firestore:
      return """
        {"name":"projects/x/databases/(default)/documents/likes/x","fields":{"from":{"stringValue":\(from)},\
        "to":{"stringValue":\(to)},"word":{"stringValue":\(word)},"at":{"timestampValue":"\(like.at)"}}}
        """
    case .parse:
      return """
        {"from":{"__type":"Pointer","className":"People","objectId":\(from)},"to":{"__type":"Pointer",\
        "className":"People","objectId":\(to)},"word":\(word),"at":{"__type":"Date","iso":"\(like.at)"}}
        """
    default: return "{\"from\":\(from),\"to\":\(to),\"word\":\(word),\"at\":\"\(like.at)\"}"
    }
  }

  private func tree(_ people: [Person]) -> String {
    let members = people.map {
      "\(Self.json($0.id)):{\"name\":\(Self.json($0.name)),\"field\":\(Self.json($0.field)),\"lat\":0,"
        + "\"lon\":\($0.longitude)}"
    }
    return "{" + members.joined(separator: ",\n") + "}"
  }

  private func tree(_ likes: [Like]) -> String {
    // Likes are grouped by the bytes of ids, because a dictionary of strings would merge two
    // spellings of é. They are sorted, so rejects are in order too.
    let byUser = Dictionary(grouping: likes) { Array($0.from.utf8) }
      .sorted { $0.key.lexicographicallyPrecedes($1.key) }
    let members = byUser.map { _, likes in
      let inner = likes.map { "\(Self.json($0.to)):{\"word\":\(Self.json($0.word)),\"at\":\"\($0.at)\"}" }
      return Self.json(likes[0].from) + ":{" + inner.joined(separator: ",") + "}"
    }
    return "{" + members.joined(separator: ",\n") + "}"
  }

  /// Returns a JSON string. It escapes all required characters and a third of the others.
  private static func json(_ text: String) -> String {
    let scalars = text.unicodeScalars.enumerated().map { index, scalar in
      guard scalar.value < 0x20 || scalar == "\"" || scalar == "\\" || index % 3 == 2 else {
        return "\(scalar)"
      }
      return String(scalar).utf16.map { unit in
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined()
    }
    return "\"" + scalars.joined() + "\""
  }
}

/// Compresses the file at `path` with `tool` (gzip or zstd) and returns the new path.
@discardableResult
func compress(_ path: String, by tool: String) throws -> String {
  let arguments = tool == "zstd" ? ["-q", "--rm", path] : ["-n", path]
  try #require(try Command.run(tool, arguments).status == 0, "\(tool)")
  return path + (tool == "zstd" ? ".zst" : ".gz")
}

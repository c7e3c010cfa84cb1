import Testing
import TestSupport

/// Third-party vectors: tab-separated values with a header.
enum TSV {
  struct Row {
    var fields: [String: String]

    /// The field of the column `column`. The column must exist.
    subscript(column: String) -> String {
      guard let field = fields[column] else {
        Issue.record("no column \(column)")
        return ""
      }
      return field
    }
  }

  static func rows(_ path: String) throws -> [Row] {
    let lines = try SharedData.text(path).split(separator: "\n").map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
    let header = try #require(lines.first)
    return try lines.dropFirst().map { fields in
      try #require(fields.count == header.count, "\(fields) has another number of fields than the header")
      return Row(fields: Dictionary(uniqueKeysWithValues: zip(header, fields)))
    }
  }
}

import Foundation
import Testing
import TestSupport
import Text

/// The lists in a rankings directory, decoded as an app would decode them.
struct RankingsFiles {
  struct Line: Decodable, Equatable {
    struct Recommendation: Decodable, Equatable {
      var rank: Int
      var candidate: String
      var score: Double?
      var kilometers: Double?
      var reasons: [Reason]
      /// The fields that `show` adds, or `nil` without `show`.
      var shown: JSONValue?

      enum CodingKeys: String, CodingKey {
        case rank, candidate, score, reasons, shown
        case kilometers = "distance_km"
      }
    }

    struct Reason: Decodable, Equatable {
      var feature: String
      var contribution: Double
    }

    var user: String
    var recommendations: [Recommendation]
    var shortfall: String?

    /// Decodes one line. `JSONSerialization` is not used, because it changes the last bit of some
    /// numbers.
    init(json: String) throws {
      self = try JSONDecoder().decode(Line.self, from: Data(json.utf8))
    }
  }

  let lines: [Line]

  init(_ rankings: String, list: String) throws {
    let text = try String(contentsOfFile: "\(rankings)/\(list)/part-00000.jsonl", encoding: .utf8)
    lines = try text.split(separator: "\n").map { try Line(json: String($0)) }
  }
}

/// The output of `nightjar explain --json`.
struct Explanation: Decodable {
  struct Term: Decodable {
    var term: String?
    var contribution: Double?
    var column: String?
    var coefficient: Double?
    var mean: Double?

    enum CodingKeys: String, CodingKey {
      case term, contribution, column, coefficient
      case mean = "learning_mean"
    }
  }

  var terms: [Term]
  var kilometers: Double?
  var interactions: Double?
  var base: Double?

  enum CodingKeys: String, CodingKey {
    case terms, interactions, base
    case kilometers = "distance_km"
  }

  init(_ ended: Program.Finished) throws {
    try #require(ended.ending == .status(0), "\(ended.errors)")
    self = try JSONDecoder().decode(Explanation.self, from: Data(ended.output.utf8))
  }
}

/// Returns the rows of a CSV file without quotes, including the header.
func rows(ofCSV path: String) throws -> [[String]] {
  let text = try String(contentsOfFile: path, encoding: .utf8)
  try #require(text.last == "\n")
  return text.split(separator: "\n").map {
    $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }
}

/// Reads a JSON file.
func json(_ path: String) throws -> [String: Any] {
  let data = try Data(contentsOf: URL(filePath: path))
  return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
}

extension [String: Any] {
  /// Returns the object under `key`, or an empty object.
  func object(_ key: String) -> [String: Any] { self[key] as? [String: Any] ?? [:] }

  func integer(_ key: String) -> Int? { self[key] as? Int }

  /// The members that are integers.
  var integers: [String: Int] { compactMapValues { $0 as? Int } }
  /// The rows of a source that are rejected, dangling or not allowed, by rule.
  var byRule: [String: Int] {
    ["rejected", "dangling", "not_allowed"].reduce(into: [:]) { rules, outcome in
      rules.merge(object(outcome).integers) { _, _ in preconditionFailure("a rule with two outcomes") }
    }
  }
}

internal import Foundation
internal import Text

/// One list as an app decodes it.
struct ServedList: Decodable {
  struct Recommendation: Decodable {
    struct Reason: Decodable {
      var feature: String
      var contribution: Double
    }

    var rank: Int
    var candidate: String
    var score: Double?
    var distance: Double?
    var reasons: [Reason]
    /// The shown fields of the candidate; `nil` if the ranking shows none.
    var shown: JSONValue?

    enum CodingKeys: String, CodingKey {
      case rank, candidate, score, reasons, shown
      case distance = "distance_km"
    }
  }

  var recommendations: [Recommendation]
  var shortfall: String?

  /// The names of the columns that `append(to:)` fills in a text table, and the alignments of all columns
  /// except the last.
  static let header = ["rank", "candidate", "score", "distance", "reasons"]
  static let alignments: [TextTable.Alignment] = [.right, .left, .right, .right]

  /// Appends a row per entry: rank, candidate, score, distance, and the reasons with the shown fields in the
  /// order of `names`. If `start` is not empty and all entries of a short list are appended, a last row
  /// states why the list is short.
  ///
  /// - Parameters:
  ///   - table: The table. Its first columns contain the cells of `start`.
  ///   - start: The first cells of the first row. In further rows, these cells are empty.
  ///   - top: The maximum number of entries; `nil` for all.
  ///   - names: The order of the shown fields.
  func append(to table: inout TextTable, after start: [String], top: Int?, showing names: [String]) {
    let entries = recommendations.prefix(top ?? recommendations.count)
    let indented = start.map { _ in "" }
    for entry in entries {
      table.append(
        (entry.rank == recommendations.first?.rank ? start : indented) + [
          String(entry.rank), entry.candidate, entry.score.map { $0.fixed(2) } ?? "-",
          entry.distance.map { $0.fixed(1) + " km" } ?? "-",
        ], entry.reasonWords + (entry.shown?.words(names) ?? []))
    }
    if let ending = ending(after: entries.count), !start.isEmpty {
      table.append((entries.isEmpty ? start : indented) + ["", "", "", ""], [ending])
    }
  }

  /// Returns the reason why the list is short, such as `no more: no candidate is left to show`; `nil` for a
  /// full list, or if `count` is less than the number of entries.
  func ending(after count: Int) -> String? {
    guard count >= recommendations.count, let shortfall else { return nil }
    return (recommendations.isEmpty ? "empty: " : "no more: ") + Self.words(shortfall)
  }

  /// The columns that `append(to:)` writes to CSV after the fields in `start`.
  static let columns = ["rank", "candidate", "score", "distance_km", "reasons", "shown"]

  /// Appends a row per entry, each beginning with the fields of `start`.
  func append(to text: inout CSVText, after start: [String], top: Int?, showing names: [String]) {
    for entry in recommendations.prefix(top ?? recommendations.count) {
      for field in start { text.append(text: field) }
      text.append(integer: entry.rank)
      text.append(text: entry.candidate)
      text.append(plain: entry.score.map { "\($0)" } ?? "")
      text.append(plain: entry.distance.map { "\($0)" } ?? "")
      text.append(text: entry.reasonWords.joined(separator: ", "))
      text.append(text: (entry.shown?.words(names) ?? []).joined(separator: ", "))
      text.endRow()
    }
  }

  private static func words(_ shortfall: String) -> String {
    switch shortfall {
    case "exposure": "the other candidates are already on as many lists as the ranking allows"
    case "no_position": "the user's position is unknown"
    case "none_in_radius": "no other candidate is within the radius"
    case "none_left": "no candidate is left to show"
    case "none_above_minimum": "the scores of the other candidates are too low"
    default: shortfall
    }
  }
}

extension JSONValue {
  /// Returns the values of the shown fields as text, with the fields in `names` first. Texts are unchanged,
  /// and numbers follow the name of their field. A true flag is shown as its name, and a false flag is left
  /// out.
  func words(_ names: [String]) -> [String] {
    let others = members.keys.filter { !names.contains($0) }.sorted()
    return (names + others).flatMap { name -> [String] in
      guard name == "position", let latitude = self[name]?["latitude"],
        let longitude = self[name]?["longitude"]
      else { return ServedAttributes.values(members, [name]) }
      return [latitude.shownNumber + " " + longitude.shownNumber]
    }
  }

  /// The interval as text, such as `2026-05-01T08:00:00Z/2026-05-01T12:00:00Z`.
  fileprivate var shownSpan: String? {
    guard case .string(let begin)? = self["from"], case .string(let end)? = self["to"] else { return nil }
    return begin + "/" + end
  }

  private var shownNumber: String {
    switch self {
    case .integer(let value): "\(value)"
    case .number(let value): "\(value)"
    default: ""
    }
  }
}

extension ServedList.Recommendation {
  /// The reasons as human-readable text, such as "Technology +0.70". A reason is left out if its contribution
  /// would be printed as +0.00.
  fileprivate var reasonWords: [String] {
    reasons.filter { $0.contribution >= 0.005 }.map { "\($0.words) +\($0.contribution.fixed(2))" }
  }
}

extension ServedList.Recommendation.Reason {
  /// The feature as human-readable text: `business_field=Technology` becomes "Technology", and
  /// `latitude=south` becomes "south". Words that are unclear alone keep the feature's name.
  var words: String {
    let parts = feature.split(separator: "=", maxSplits: 1)
    guard parts.count == 2 else { return feature }
    switch parts[1] {
    case "high", "low", "small", "large", "little", "much": return "\(parts[1]) \(parts[0])"
    case "yes": return String(parts[0])
    case "no": return "not \(parts[0])"
    case let word:
      // A number or a bin of numbers is unclear without the feature's name.
      let isNumber = Double(word) != nil || ["<", "[", ">"].contains { word.hasPrefix($0) }
      return isNumber ? "\(parts[0]) \(word)" : String(word)
    }
  }
}

/// The published attributes of a person or thing as text, in the order of the pipeline file.
enum ServedAttributes {
  /// - Throws: `DamagedRow` if `json` is not JSON. `entity` is the entity of the person or thing.
  static func values(
    _ json: [UInt8], _ names: [String], of entity: String
  ) throws(DamagedRow) -> [String] {
    let value = try DamagedRow.decoding("the attributes of '\(entity)'") {
      try JSONDecoder().decode(JSONValue.self, from: Data(json))
    }
    return values(value.members, names)
  }

  static func values(_ members: [String: JSONValue], _ names: [String]) -> [String] {
    names.compactMap { name -> String? in
      switch members[name] {
      case .string(let text): text
      case .integer(let value): "\(name) \(value)"
      case .number(let value): "\(name) \(value.short)"
      case .boolean(true): name
      case .array(let spans) where spans.contains { $0["from"] != nil }:
        spans.compactMap(\.shownSpan).joined(separator: ", ")
      case .array(let tags) where !tags.isEmpty:
        tags.compactMap { if case .string(let tag) = $0 { tag } else { nil } }.joined(separator: ", ")
      default: nil
      }
    }
  }
}

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

  /// The lines of the list: rank, candidate, score, distance, reasons, and shown fields in the order of
  /// `names`. The last line says why the list is short. Control characters are escaped.
  func lines(top: Int?, showing names: [String]) -> [String] {
    let shown = recommendations.prefix(top ?? recommendations.count)
    // Escapes control characters first, because they would change the column width.
    let candidates = shown.map { ShownText.encoded($0.candidate) }
    let width = candidates.map(\.terminalColumns).max() ?? 0
    var lines = zip(candidates, shown).map { candidate, recommendation in
      let score = recommendation.score.map { $0.fixed(2) } ?? "-"
      let distance = recommendation.distance.map { $0.fixed(1) + " km" } ?? "-"
      // A contribution that would be printed as +0.00 is omitted.
      let reasons = recommendation.reasons.filter { $0.contribution >= 0.005 }.map {
        "\(ShownText.encoded($0.words)) +\($0.contribution.fixed(2))"
      }
      return "  " + String(recommendation.rank).leftPadded(to: 2) + "  "
        + candidate.padded(to: width)
        + "  " + score.leftPadded(to: 6) + "  " + distance.leftPadded(to: 10) + "   "
        + (reasons + (recommendation.shown?.words(names) ?? [])).joined(separator: ", ")
    }
    if recommendations.count == shown.count, let shortfall {
      lines.append("  " + (recommendations.isEmpty ? "empty: " : "no more: ") + Self.words(shortfall))
    }
    return lines.map { $0.trimmingSuffix(" ") }
  }

  private static func words(_ shortfall: String) -> String {
    switch shortfall {
    case "no_position": "the user's position is unknown"
    case "none_in_radius": "no other candidate is within the radius"
    case "none_left": "no candidate is left to show"
    case "none_above_minimum": "the scores of the other candidates are too low"
    default: shortfall
    }
  }
}

extension JSONValue {
  /// The values of the shown fields as text, `names` first. Texts are unchanged; other values follow their
  /// name.
  func words(_ names: [String]) -> [String] {
    let others = members.keys.filter { !names.contains($0) }.sorted()
    return (names + others).flatMap { name -> [String] in
      guard name == "position", let latitude = self[name]?["latitude"],
        let longitude = self[name]?["longitude"]
      else { return ServedAttributes.values(members, [name]) }
      return [latitude.shownNumber + " " + longitude.shownNumber]
    }.map { ShownText.encoded($0) }
  }

  /// The interval as text: `2026-05-01T08:00:00Z/2026-05-01T12:00:00Z`.
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

extension ServedList.Recommendation.Reason {
  /// The feature for people: `business_field=Technology` becomes "Technology", `latitude=south` "south".
  /// Words that mean little alone keep the feature's name.
  var words: String {
    let parts = feature.split(separator: "=", maxSplits: 1)
    guard parts.count == 2 else { return feature }
    switch parts[1] {
    case "high", "low", "small", "large", "little", "much": return "\(parts[1]) \(parts[0])"
    case "yes": return String(parts[0])
    case "no": return "not \(parts[0])"
    case let word:
      // A number or a bin of numbers keeps the feature's name.
      let isNumber = Double(word) != nil || ["<", "[", ">"].contains { word.hasPrefix($0) }
      return isNumber ? "\(parts[0]) \(word)" : String(word)
    }
  }
}

/// The published attributes of an entity, in the order of the pipeline file.
enum ServedAttributes {
  static func values(_ json: [UInt8], _ names: [String]) throws -> [String] {
    values(try JSONDecoder().decode(JSONValue.self, from: Data(json)).members, names)
  }

  static func values(_ members: [String: JSONValue], _ names: [String]) -> [String] {
    names.compactMap { name in
      switch members[name] {
      case .string(let text): text
      case .integer(let value): "\(name) \(value)"
      case .number(let value): "\(name) \(value)"
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

extension String {
  fileprivate func trimmingSuffix(_ character: Character) -> String {
    var text = self
    while text.last == character { text.removeLast() }
    return text
  }
}

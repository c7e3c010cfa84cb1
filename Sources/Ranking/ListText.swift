internal import Features
internal import Tables

/// The lists of some users as they stand in the files: lines of JSON, and rows of CSV.
///
/// Both say the same numbers, which are written once: a million lists have twenty million.
struct ListText: Sendable {
  private(set) var json = JSONText()
  private(set) var csv = CSVText()

  static let header = "user_id,rank,candidate_id,score,distance_km\n"

  /// A recommendation without its reasons.
  struct Entry {
    var rank: Int
    var candidate: Int
    /// NaN without a model.
    var score: Double
    /// Kilometres; NaN where unknown.
    var distance: Double
  }

  /// Begins the list of the user with the id `user`.
  mutating func beginList(user: Span<UInt8>) {
    json.append(raw: "{\"user\":")
    json.append(string: user)
    json.append(raw: ",\"recommendations\":[")
  }

  /// Begins the next recommendation of the list, with the candidate's id from `ids`; its reasons follow.
  mutating func begin(_ entry: Entry, user: Span<UInt8>, ids: StringColumn) {
    let distance = Self.shown(entry.distance)
    json.append(raw: entry.rank > 1 ? ",{\"rank\":" : "{\"rank\":")
    json.append(integer: entry.rank)
    json.append(raw: ",\"candidate\":")
    json.append(string: ids.bytes(entry.candidate))
    json.append(raw: ",\"score\":")
    let score = entry.score.isFinite ? entry.score.description : ""
    json.append(rawText: score.isEmpty ? "null" : score)
    csv.append(text: user)
    csv.append(integer: entry.rank)
    csv.append(text: ids.bytes(entry.candidate))
    csv.append(number: score)
    json.append(raw: ",\"distance_km\":")
    json.append(rawText: distance.isEmpty ? "null" : distance)
    csv.append(number: distance)
    csv.endRow()
    json.append(raw: ",\"reasons\":[")
  }

  /// Appends a reason, the first one or another, whose name is the JSON string `label`.
  mutating func append(reason label: [UInt8], _ contribution: Double, isFirst: Bool) {
    json.append(raw: isFirst ? "{\"feature\":" : ",{\"feature\":")
    json.append(raw: label)
    json.append(raw: ",\"contribution\":")
    json.append(number: contribution)
    json.append(raw: "}")
  }

  /// Ends the recommendation.
  mutating func end() {
    json.append(raw: "]}")
  }

  /// Ends the list.
  mutating func endList(_ shortfall: Shortfall?) {
    json.append(raw: "],\"shortfall\":")
    if let shortfall {
      json.append(string: Array(shortfall.rawValue.utf8).span)
    } else {
      json.append(raw: "null")
    }
    json.append(raw: "}\n")
  }

  /// Shown distances are rounded to 0.1 km; order was decided in full precision. Empty where unknown.
  private static func shown(_ distance: Double) -> String {
    distance.isNaN ? "" : ((distance * 10).rounded() / 10).description
  }
}

internal import Columns
internal import Features
internal import Search
internal import Text

/// The lists of some users in the format of the files: lines of JSON, and rows of CSV.
///
/// Both contain the same numbers, which are formatted once: a million lists have twenty million.
struct ListText: Sendable {
  private(set) var json = JSONText()
  private(set) var csv = CSVText()
  /// The user's id, and the word where there is one for each list, as the first fields of a row.
  private var rowStart = CSVText()

  static let header = "user_id,rank,candidate_id,score,distance_km\n"
  /// Where there is a list for each word.
  static let headerWithWords = "user_id,word,rank,candidate_id,score,distance_km\n"

  /// A recommendation without its reasons.
  struct ListedEntry {
    var rank: Int
    var candidate: Int
    /// NaN without a model.
    var score: Double
    /// Kilometers; NaN where unknown.
    var distance: Double
  }

  /// Begins the list of the user with the id `user`.
  mutating func beginList(user: Span<UInt8>) {
    json.append(raw: "{\"user\":")
    json.append(string: user)
    json.append(raw: ",\"recommendations\":[")
    rowStart.removeAll()
    rowStart.append(text: user)
  }

  /// Begins the lists of the user with the id `user`, one for each word.
  mutating func beginLists(user: Span<UInt8>) {
    json.append(raw: "{\"user\":")
    json.append(string: user)
    json.append(raw: ",\"lists\":{")
  }

  /// Begins the list of the user with the id `user` for `word`, the first one or another.
  mutating func beginList(word: Span<UInt8>, user: Span<UInt8>, isFirst: Bool) {
    if !isFirst { json.append(raw: ",") }
    json.append(string: word)
    json.append(raw: ":{\"recommendations\":[")
    rowStart.removeAll()
    rowStart.append(text: user)
    rowStart.append(text: word)
  }

  /// Ends the lists of a user.
  mutating func endLists() { json.append(raw: "}}\n") }

  /// Begins the next recommendation of the list, with the candidate's id from `ids`; its reasons follow.
  mutating func begin(_ entry: ListedEntry, ids: StringColumn) {
    json.append(raw: entry.rank > 1 ? ",{\"rank\":" : "{\"rank\":")
    json.append(integer: entry.rank)
    json.append(raw: ",\"candidate\":")
    json.append(string: ids.bytes(entry.candidate))
    json.append(raw: ",\"score\":")
    let scoreStart = json.bytes.count
    if entry.score.isFinite { json.append(number: entry.score) }
    let scoreEnd = json.bytes.count
    if scoreEnd == scoreStart { json.append(raw: "null") }
    json.append(raw: ",\"distance_km\":")
    let distanceStart = json.bytes.count
    if entry.distance.isFinite { json.append(tenths: entry.distance) }
    let distanceEnd = json.bytes.count
    if distanceEnd == distanceStart { json.append(raw: "null") }
    json.append(raw: ",\"reasons\":[")
    csv.append(fieldOf: rowStart)
    csv.append(integer: entry.rank)
    csv.append(text: ids.bytes(entry.candidate))
    csv.append(numberIn: json, scoreStart..<scoreEnd)
    csv.append(numberIn: json, distanceStart..<distanceEnd)
    csv.endRow()
  }

  /// Appends a reason, the first one or another.
  ///
  /// - Parameters:
  ///   - label: From `ReasonLabels`.
  ///   - contribution: Above 0; twelve digits of it are published.
  ///   - isFirst: Whether it is the first of its recommendation.
  mutating func append(reason label: Span<UInt8>, _ contribution: Double, isFirst: Bool) {
    if !isFirst { json.append(raw: ",") }
    json.append(raw: label)
    json.append(twelveDigits: contribution)
    json.append(raw: "}")
  }

  /// Ends the recommendation of the candidate at `row`, with what is shown of it.
  mutating func end(_ row: Int, _ shown: ShownCandidates?) {
    guard let shown else { return json.append(raw: "]}") }
    json.append(raw: "],\"shown\":")
    shown.append(row, to: &json)
    json.append(raw: "}")
  }

  /// Ends the list, and the line where it is the only one of its user.
  mutating func endList(_ shortfall: Shortfall?, isOnly: Bool = true) {
    json.append(raw: "],\"shortfall\":")
    if let shortfall {
      json.append(string: Array(shortfall.rawValue.utf8).span)
    } else {
      json.append(raw: "null")
    }
    json.append(raw: isOnly ? "}\n" : "}")
  }
}

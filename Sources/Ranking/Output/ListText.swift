internal import Columns
internal import Features
internal import Search
internal import Text

/// The lists of some users in the formats of the files: lines of JSON and rows of CSV.
///
/// Both formats contain the same scores and distances. Each number is formatted only once for both, because a
/// million lists of 20 contain 40 million numbers.
struct ListText: Sendable {
  private(set) var json = JSONText()
  private(set) var csv = CSVText()
  /// The first fields of a row: the user's id, and the word if each word has a list.
  private var rowStart = CSVText()

  static let header = "user_id,rank,candidate_id,score,distance_km\n"
  /// The header for rankings with a list for each word.
  static let headerWithWords = "user_id,word,rank,candidate_id,score,distance_km\n"

  /// A recommendation without its reasons.
  struct ListedEntry {
    var rank: Int
    var candidate: Int
    /// The score; NaN without a model.
    var score: Double
    /// The distance in kilometers; NaN if unknown.
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

  /// Begins the list for `word` of the user with the id `user`. `isFirst` marks the user's first list.
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

  /// Begins the next recommendation of the list, with the candidate's id from `ids`. The caller then appends
  /// the reasons.
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

  /// Appends one reason of the current recommendation.
  ///
  /// - Parameters:
  ///   - label: The text from `ReasonLabels`.
  ///   - contribution: A number above 0, written with twelve significant digits.
  ///   - isFirst: Whether the reason is the first one of its recommendation.
  mutating func append(reason label: Span<UInt8>, _ contribution: Double, isFirst: Bool) {
    if !isFirst { json.append(raw: ",") }
    json.append(raw: label)
    json.append(twelveDigits: contribution)
    json.append(raw: "}")
  }

  /// Appends the shown fields of the candidate at `row`, if there are any, and ends the recommendation.
  mutating func end(_ row: Int, _ shown: ShownCandidates?) {
    guard let shown else { return json.append(raw: "]}") }
    json.append(raw: "],\"shown\":")
    shown.append(row, to: &json)
    json.append(raw: "}")
  }

  /// Ends the list. If `isOnly`, the list is the user's only list, and the line ends, too.
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

internal import Features
internal import Tables

/// The lists of some users as they stand in the files: lines of JSON, and rows of CSV.
struct ListText: Sendable {
  private(set) var json = JSONText()
  private(set) var csv = CSVText()

  static let header = "user_id,rank,candidate_id,score,distance_km\n"

  /// Appends the list of one user.
  ///
  /// - Parameters:
  ///   - user: The user's id.
  ///   - result: The list.
  ///   - ids: The candidates' ids.
  ///   - reasons: The published reasons of each recommendation, in its order; empty without a model.
  mutating func append(
    user: Span<UInt8>, _ result: SearchResult, ids: StringColumn, reasons: [[Reason]]
  ) {
    json.append(raw: "{\"user\":")
    json.append(string: user)
    json.append(raw: ",\"recommendations\":[")
    for (index, recommendation) in result.best.enumerated() {
      if index > 0 { json.append(raw: ",") }
      append(recommendation, rank: index + 1, ids: ids, reasons: index < reasons.count ? reasons[index] : [])
      appendRow(user, recommendation, rank: index + 1, ids: ids)
    }
    json.append(raw: "],\"shortfall\":")
    if let shortfall = result.shortfall {
      json.append(string: Array(shortfall.rawValue.utf8).span)
    } else {
      json.append(raw: "null")
    }
    json.append(raw: "}\n")
  }

  private mutating func append(
    _ recommendation: Recommendation, rank: Int, ids: StringColumn, reasons: [Reason]
  ) {
    json.append(raw: "{\"rank\":")
    json.append(integer: rank)
    json.append(raw: ",\"candidate\":")
    json.append(string: ids.bytes(recommendation.candidate))
    json.append(raw: ",\"score\":")
    json.append(number: recommendation.score ?? .nan)
    json.append(raw: ",\"distance_km\":")
    json.append(number: Self.shown(recommendation.distance))
    json.append(raw: ",\"reasons\":[")
    for (index, reason) in reasons.enumerated() {
      json.append(raw: index > 0 ? ",{\"feature\":" : "{\"feature\":")
      json.append(string: Array(reason.feature.utf8).span)
      json.append(raw: ",\"contribution\":")
      json.append(number: reason.contribution)
      json.append(raw: "}")
    }
    json.append(raw: "]}")
  }

  private mutating func appendRow(
    _ user: Span<UInt8>, _ recommendation: Recommendation, rank: Int, ids: StringColumn
  ) {
    csv.append(text: user)
    csv.append(plain: String(rank))
    csv.append(text: ids.bytes(recommendation.candidate))
    csv.append(plain: recommendation.score.map(\.description) ?? "")
    let distance = Self.shown(recommendation.distance)
    csv.append(plain: distance.isNaN ? "" : distance.description)
    csv.endRow()
  }

  /// Shown distances are rounded to 0.1 km; order was decided in full precision.
  private static func shown(_ distance: Double) -> Double {
    (distance * 10).rounded() / 10
  }
}

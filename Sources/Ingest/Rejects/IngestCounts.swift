internal import Text

/// What became of the rows of one source: `read = kept + rejected + merged + later + ignored + erased`.
package struct IngestCounts: Hashable, Sendable {
  package var read = 0
  package var kept = 0
  package var later = 0
  /// How many check-ins a newer one took the place of: merged, and in such numbers as a rule that none is told as an
  /// example.
  var replaced = 0
  /// How many of the check-ins kept are too old to count; `nil` of other sources.
  package var expired: Int?
  /// Of somebody who was erased, or with them.
  var erased = 0
  /// How many of the entities kept changed after the as-of time, without a version from before; `nil` where the
  /// pipeline file does not say when entities change.
  var updatedLater: Int?
  /// How many rows of the export are others', `read` not counting them, and how many of these no source takes; `nil` of
  /// sources that take all rows.
  package var leftOut: Int?
  package var leftOutByAll: Int?
  /// How many rows are no interactions, as the pipeline file says; `nil` where it says so of none.
  package var ignored: Int?
  /// How many requests are by somebody who was too young, or of whom nobody knows; `nil` where nobody asks.
  package var underAge: Int?
  package var ageUnknown: Int?
  package var rules: [IngestRule: Int] = [:]
  /// How many rows by rule are told in `rejects.csv`, where those are not all: see `RejectLog`.
  var written: [IngestRule: Int] = [:]
  /// Fields of a JSON export that no record has and none needs to have: perhaps misspelt.
  package var absentFields: [String] = []

  package var merged: Int { (rules[.duplicateID] ?? 0) + replaced }
  package var rejected: Int { rules.reduce(0) { $0 + ($1.key == .duplicateID ? 0 : $1.value) } }
  /// Rows that are no mistakes, and count for nothing.
  var countForNothing: Int { (ignored ?? 0) + (underAge ?? 0) + (ageUnknown ?? 0) }
  var isBalanced: Bool { read == kept + rejected + merged + later + erased + countForNothing }

  var json: JSONValue {
    let rejected = rules.filter { $0.key != .duplicateID }
    var json: [String: JSONValue] = [
      "read": .integer(read), "kept": .integer(kept), "merged": .integer(merged), "later": .integer(later),
      "rejected": JSONValue(Dictionary(uniqueKeysWithValues: rejected.map { ($0.key.rawValue, $0.value) })),
    ]
    let others = [
      "left_out": leftOut, "left_out_by_all": leftOutByAll, "under_age": underAge, "age_unknown": ageUnknown,
      "expired": expired, "ignored": ignored,
    ]
    for (name, count) in others where count != nil { json[name] = count.map { .integer($0) } }
    if erased > 0 { json["erased"] = .integer(erased) }
    if let updatedLater { json["updated_later"] = .integer(updatedLater) }
    if !written.isEmpty {
      json["rejects_written"] = JSONValue(
        Dictionary(uniqueKeysWithValues: written.map { ($0.key.rawValue, $0.value) }))
    }
    if !absentFields.isEmpty { json["absent_fields"] = .array(absentFields.map { .string($0) }) }
    return .object(json)
  }
}

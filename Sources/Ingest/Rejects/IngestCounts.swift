internal import Text

/// The rows of one source by outcome: `read = kept + rejected + merged + later + ignored + erased`, plus
/// requests by users who are underage or of unknown age.
package struct IngestCounts: Hashable, Sendable {
  package var read = 0
  package var kept = 0
  package var later = 0
  /// The number of check-ins that a newer one replaced. They count as merged, but `rejects.csv` does not list
  /// them, because there are usually too many.
  var replaced = 0
  /// The number of kept check-ins that are too old to count; `nil` for other sources.
  package var expired: Int?
  /// The number of rows that belong to erased people or refer to them.
  var erased = 0
  /// The number of kept entities that changed after the as-of time and have no earlier version; `nil` if the
  /// pipeline file names no time of change.
  var updatedLater: Int?
  /// The number of rows that the source's conditions leave out; `nil` without conditions. `read` does not
  /// include them. `leftOutByAll` counts the rows that no source takes.
  package var leftOut: Int?
  package var leftOutByAll: Int?
  /// The number of rows that the pipeline file ignores; `nil` if it ignores none.
  package var ignored: Int?
  /// The number of requests by underage users; `nil` if no age is required. `ageUnknown` counts the users of
  /// unknown age.
  package var underAge: Int?
  package var ageUnknown: Int?
  package var rules: [IngestRule: Int] = [:]
  /// The number of rows of each rule in `rejects.csv`, if the file does not list all: see `RejectLog`.
  var written: [IngestRule: Int] = [:]
  /// Optional fields of a JSON export that no record has. They may be misspelled.
  package var absentFields: [String] = []

  package var merged: Int { (rules[.duplicateID] ?? 0) + replaced }
  package var rejected: Int { rules.reduce(0) { $0 + ($1.key == .duplicateID ? 0 : $1.value) } }
  /// Rows that are valid but not used.
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

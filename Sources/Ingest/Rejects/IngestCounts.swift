package import RunSchemas
internal import Text

/// The numbers of rows of one source by outcome: `read = kept + rejected + dangling + notAllowed + merged +
/// later + ignored + erased`.
package struct IngestCounts: Hashable, Sendable {
  package var read = 0
  package var kept = 0
  package var later = 0
  /// The number of later rows that do not count toward `later_limit`, because a few accounts wrote them; see
  /// `RowsByAccount`. For entities, it includes changes that `updatedLater` counts.
  var laterOfFewAccounts = 0
  /// The time of the newest row up to the as-of time, in milliseconds since 1970 UTC; `nil` if no row has a
  /// time. For entities, it is the newest creation or change of a kept row, even after the as-of time.
  package var newest: Int64?
  /// If users are ordered by their newest rows, the time of the fourth user's newest row, in milliseconds
  /// since 1970 UTC; `nil` if there are fewer than four users. See `NewestUsers`.
  var newestOfFourth: Int64?
  /// The number of delimited files whose last row has no line break; `nil` for other formats.
  var unended: Int?
  /// The number of check-ins that a newer check-in replaced, or of interactions that `once` dropped as
  /// repetitions. These rows count as merged, but `rejects.csv` does not list them, because they are usually
  /// too many.
  var replaced = 0
  /// The number of kept check-ins that have expired; `nil` for other sources.
  package var expired: Int?
  /// The number of rows that belong to erased people or refer to them.
  package var erased = 0
  /// The number of kept ids that changed after the as-of time and have no earlier version; `nil` if the
  /// pipeline file does not set `updated`.
  var updatedLater: Int?
  /// The number of rows that the source's conditions leave out; `nil` if the source has no conditions. `read`
  /// does not include these rows.
  package var leftOut: Int?
  /// The number of left-out rows that every other source of the same export also leaves out; `nil` if the
  /// source has no conditions.
  package var leftOutByAll: Int?
  /// The number of rows that the pipeline file ignores; `nil` if the pipeline file maps no value to `ignore`.
  package var ignored: Int?
  package var rules: [IngestRule: Int] = [:]
  /// For each field with an optional time, the number of rows without a time. Counted only if the source has
  /// implausible times.
  var missingTimes: [String: Int] = [:]
  /// The number of rows of each rule in `rejects.csv`; empty if the file lists all rows. See `RejectLog`.
  var written: [IngestRule: Int] = [:]
  /// Optional fields of a JSON export that no record has. Their names may be misspelled in the pipeline file.
  package var absentFields: [String] = []

  mutating func take(_ users: NewestUsers) { (newest, newestOfFourth) = (users.newest, users.ofLastUser) }

  /// The number of rows that can take part in the run: all rows except rejected rows and later rows.
  var usable: Int { read - later - rows(.rejected) }

  package var merged: Int { (rules[.duplicateID] ?? 0) + replaced }
  var isBalanced: Bool {
    let leftOut = RuleOutcome.allCases.reduce(0) { $0 + rows($1) }
    return read == kept + leftOut + merged + later + erased + (ignored ?? 0)
  }

  /// Returns the number of rows with this outcome.
  package func rows(_ outcome: RuleOutcome) -> Int { byRule(outcome).values.reduce(0, +) }

  /// Returns the number of rows with this outcome, by name of the rule.
  func byRule(_ outcome: RuleOutcome) -> [String: Int] {
    let rules = rules.filter { $0.key.outcome == outcome }.map { ($0.key.rawValue, $0.value) }
    return Dictionary(uniqueKeysWithValues: rules)
  }

  /// Returns the share of the rows with this outcome, from 0 to 1, among all rows except rows of erased
  /// people. `exempt` is the number of rows with this outcome that do not count.
  func share(_ outcome: RuleOutcome, besides exempt: Int = 0) -> Double {
    let rows = rows(outcome) - exempt
    // Callers compare this quotient with the limit. The test `rows > limit * total` would be wrong. In
    // floating point, 0.29 * 100 is less than 29, so a limit of 0.29 would reject exactly 29 of 100 rows.
    return rows == 0 ? 0 : Double(rows) / Double(read - erased)
  }

  var json: JSONValue {
    var json: [String: JSONValue] = [
      "read": .integer(read), "kept": .integer(kept), "merged": .integer(merged), "later": .integer(later),
    ]
    for outcome in RuleOutcome.allCases { json[outcome.rawValue] = JSONValue(byRule(outcome)) }
    let others = [
      "left_out": leftOut, "left_out_by_all": leftOutByAll, "expired": expired, "ignored": ignored,
    ]
    for (name, count) in others where count != nil { json[name] = count.map { .integer($0) } }
    if let newest {
      var times: [String: JSONValue] = [
        "milliseconds": .integer(Int(newest)), "utc": .string(Instant(milliseconds: newest).description),
      ]
      if let newestOfFourth { times["milliseconds_of_fourth_user"] = .integer(Int(newestOfFourth)) }
      json["newest"] = .object(times)
    }
    if let unended { json["files"] = ["without_last_line_break": .integer(unended)] }
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

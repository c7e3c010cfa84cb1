internal import ServingStore
internal import Text
internal import Tombstones

/// The numbers of users with full, short and empty lists. These numbers are the part of `funnel.json` that
/// changes when lists are edited.
struct UserCounts {
  private var members: [String: JSONValue]
  private var shortfalls: [String: JSONValue]

  init(_ json: JSONValue?) {
    members = json?.members ?? [:]
    shortfalls = members["shortfall"]?.members ?? [:]
  }

  var json: JSONValue {
    .object(members.merging(["shortfall": .object(shortfalls)]) { _, new in new })
  }

  /// Removes the user of `document` and the user's lists from the counts.
  mutating func remove(_ document: ListDocument) {
    add(-1, to: "total")
    if document.candidates.isEmpty { add(-1, to: "empty_lists") }
    let reasons = document.shortfalls.compactMap(\.self)
    add(-1, to: reasons.isEmpty ? "full_lists" : "short_lists")
    for reason in reasons { addShortfall(-1, reason) }
  }

  /// Updates the counts after candidates were removed from the lists of `document`. `isEmpty` states whether
  /// all these lists are now empty, and `shortened` is the number of these lists that are no longer full.
  mutating func shorten(_ document: ListDocument, isEmpty: Bool, shortened: Int) {
    if isEmpty { add(1, to: "empty_lists") }
    addShortfall(shortened, "none_left")
    guard shortened > 0, document.shortfalls.allSatisfy({ $0 == nil }) else { return }
    add(-1, to: "full_lists")
    add(1, to: "short_lists")
  }

  private mutating func add(_ count: Int, to key: String) {
    guard let value = members[key]?.integerValue else { return }
    members[key] = .integer(value + count)
  }

  private mutating func addShortfall(_ count: Int, _ reason: String) {
    let value = (shortfalls[reason]?.integerValue ?? 0) + count
    shortfalls[reason] = value > 0 ? .integer(value) : nil
  }
}

internal import Erasure
internal import Tables

/// How many users have lists of which kind: a part of `funnel.json`, which follows what becomes of lists.
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

  /// A user goes, with this list.
  mutating func remove(_ document: ListDocument) {
    add(-1, to: "total")
    if document.candidates.isEmpty { add(-1, to: "empty_lists") }
    if let reason = document.shortfall {
      add(-1, to: "short_lists")
      addShortfall(-1, reason)
    } else {
      add(-1, to: "full_lists")
    }
  }

  /// Somebody goes from this list, which may be empty then.
  mutating func shorten(_ document: ListDocument, isEmpty: Bool) {
    if isEmpty { add(1, to: "empty_lists") }
    guard document.shortfall == nil else { return }
    add(-1, to: "full_lists")
    add(1, to: "short_lists")
    addShortfall(1, "none_left")
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

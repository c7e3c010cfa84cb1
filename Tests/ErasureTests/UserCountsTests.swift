import ServingStore
import Testing
import Text

@testable import Erasure

/// Tests how the counts of users change when an erasure changes one list.
@Suite struct UserCountsTests {
  private static let before: JSONValue = [
    "total": 9, "full_lists": 5, "short_lists": 4, "empty_lists": 1,
    "shortfall": ["none_left": 2, "no_position": 1],
  ]

  private static func document(_ candidates: [String], shortfall: String? = nil) throws -> ListDocument {
    let entries = candidates.enumerated().map { "{\"rank\":\($0 + 1),\"candidate\":\"\($1)\"}" }
    let reason = shortfall.map { "\"\($0)\"" } ?? "null"
    return try ListDocument(
      Array(
        "{\"user\":\"u\",\"recommendations\":[\(entries.joined(separator: ","))],\"shortfall\":\(reason)}"
          .utf8))
  }

  private func after(_ change: (inout UserCounts) throws -> Void) throws -> [String: Int] {
    var counts = UserCounts(Self.before)
    try change(&counts)
    var found = counts.json.members.compactMapValues(\.integerValue)
    for (reason, count) in counts.json["shortfall"]?.members ?? [:] { found[reason] = count.integerValue }
    return found
  }

  @Test func `a full list becomes short when it is shortened`() throws {
    let found = try after { try $0.shorten(Self.document(["a"]), isEmpty: false, shortened: 1) }
    #expect(
      found == [
        "total": 9, "full_lists": 4, "short_lists": 5, "empty_lists": 1, "none_left": 3, "no_position": 1,
      ])
  }

  @Test func `a short list stays short`() throws {
    let document = try Self.document(["a"], shortfall: "none_left")
    let shorter = try after { $0.shorten(document, isEmpty: false, shortened: 0) }
    #expect(
      shorter == [
        "total": 9, "full_lists": 5, "short_lists": 4, "empty_lists": 1, "none_left": 2, "no_position": 1,
      ])
    let empty = try after { $0.shorten(document, isEmpty: true, shortened: 0) }
    #expect(empty["empty_lists"] == 2 && empty["full_lists"] == 5 && empty["short_lists"] == 4)
    // One of the document's lists was already short before the erasure.
    let another = try after { $0.shorten(document, isEmpty: false, shortened: 1) }
    #expect(another["full_lists"] == 5 && another["short_lists"] == 4 && another["none_left"] == 3)
  }

  @Test func `an erased user and the reasons for their short lists are not counted`() throws {
    let full = try after { try $0.remove(Self.document(["a"])) }
    #expect(
      full == [
        "total": 8, "full_lists": 4, "short_lists": 4, "empty_lists": 1, "none_left": 2, "no_position": 1,
      ])
    let empty = try after { try $0.remove(Self.document([], shortfall: "no_position")) }
    #expect(empty == ["total": 8, "full_lists": 5, "short_lists": 3, "empty_lists": 0, "none_left": 2])
  }

  @Test func `a count that an earlier version did not write stays absent`() throws {
    var counts = UserCounts(["total": 3])
    try counts.remove(Self.document([], shortfall: "no_position"))
    #expect(counts.json == ["total": 2, "shortfall": [:]])
    var none = UserCounts(nil)
    try none.remove(Self.document(["a"]))
    #expect(none.json == ["shortfall": [:]])
  }
}

import Columns
import Files
import IngestFixture
import PipelineFile
import Readers
import RunSchemas
import SnapshotEditing
import Testing
import TestSupport
import Text

@testable import Ingest

/// Values from a status, values in a range, ignored rows, and attributes computed from the
/// remaining rows.
@Suite struct InteractionValueTests {
  private static func yaml(_ value: String, extra: String = "") -> String {
    """
    pipeline: p
    as_of: newest
    plausible: [1, 9999]
    reject_limit: 1
    entities:
      customers: { source: { path: customers.csv }, id: id }
      workers:
        source: { path: workers.csv }
        id: id
        attributes: { trade: { type: category } }
    interactions:
      reviews:
        source: { path: reviews.csv }
        user: { from: c, entity: customers }
        candidate: { from: w, entity: workers }
        at: t
        value: \(value)
    \(extra)
    """
  }

  private static let stars =
    "{ from: status, map: { done: { from: stars }, no_show: 1, cancelled: ignore }, range: [1, 5] }"

  private func night(
    _ rows: String, value: String = stars, workers: String = "w1,a\nw2,a\nw3,b\nw4,\n", extra: String = "",
    asOf: Instant? = nil
  ) throws -> Night {
    try Night(
      Self.yaml(value, extra: extra),
      [
        "customers.csv": "id\nc1\nc2\nc3\n", "workers.csv": "id,trade\n" + workers,
        "reviews.csv": "c,w,t,status,stars\n" + rows,
      ], asOf: asOf)
  }

  private func values(_ night: Night) throws -> [Double] {
    try #require(night.snapshot().interactions["reviews"]).value.elements
  }

  /// The export needs no field with a value. The text in `stars` is not read.
  @Test(arguments: [(1.0, "c1,w1,1,x,?\nc2,w2,2,,\n"), (-0.5, "c1,w1,1,,\nc3,w3,9,,\n")])
  func `every row has the constant value`(value: Double, rows: String) throws {
    let night = try night(rows, value: "{ constant: \(value) }")
    #expect(try values(night) == [value, value] && night.rejects() == [])
    let plain = try Night(
      Self.yaml("{ constant: \(value) }"),
      [
        "customers.csv": "id\nc1\n", "workers.csv": "id,trade\nw1,a\n",
        "reviews.csv": "c,w,t\nc1,w1,1\nc1,zz,2\n",
      ])
    #expect(try values(plain) == [value])
    #expect(try plain.rejects().map { $0[4] } == ["unknown_candidate"])
  }

  @Test func `a status decides the value of a row`() throws {
    let night = try night(
      """
      c1,w1,1,done,5
      c1,w1,2,no_show,
      c1,w2,3,no_show,4
      c2,w1,,cancelled,
      nobody,,x,cancelled,9
      c2,w1,4,done,4.5
      c3,w1,5,done,1

      """)
    #expect(try values(night) == [5, 1, 1, 4.5, 1])
    #expect(night.accounts("reviews") == [7, 5, 0, 0, 0])
    #expect(night.counts("reviews")?["ignored"] == 2)
    #expect(try night.rejects() == [])
  }

  @Test(arguments: [
    ("c1,w1,1,done,", "stars", "unknown_value"), ("c1,w1,1,done,six", "stars", "bad_number"),
    ("c1,w1,1,done,0", "stars", "value_out_of_range"), ("c1,w1,1,done,5.01", "stars", "value_out_of_range"),
    ("c1,w1,1,Done,5", "status", "unknown_value"), ("c1,w1,1,,5", "status", "unknown_value"),
    ("c1,w1,,no_show,", "t", "bad_time"), ("c9,w1,1,done,9", "c", "unknown_user"),
    ("c1,,1,done,5", "w", "missing_id"),
  ])
  func `each row breaks one rule`(row: String, field: String, rule: String) throws {
    let night = try night("\(row)\nc1,w1,1,done,5\n")
    #expect(try night.rejects().map { [$0[3], $0[4]] } == [[field, rule]])
    #expect(try values(night) == [5])
    #expect(night.accounts("reviews") == [2, 1, 1, 0, 0])
  }

  @Test func `plain numbers have a range too`() throws {
    let night = try night("c1,w1,1,,5\nc1,w1,2,,6\n", value: "{ from: stars, range: [1, 5] }")
    #expect(try values(night) == [5])
    #expect(try night.rejects().map { $0[4] } == ["value_out_of_range"])
    #expect(night.counts("reviews")?["ignored"] == nil)
  }

  @Test func `if all rows are ignored there are no values, and no field is missing`() throws {
    let night = try night("c1,w1,,cancelled,\n")
    #expect(try values(night) == [])
    #expect(night.counts("reviews")?["ignored"] == 1)
    #expect(night.manifest.counts["as_of_from"] == "clock")
  }

  /// Only some statuses require a field, such as the stars of finished jobs. The field may then be
  /// missing in every row.
  @Test func `a field that no row needs may be missing everywhere`() throws {
    let night = try Night(
      Self.yaml(Self.stars).replacing("reviews.csv", with: "reviews.jsonl"),
      [
        "customers.csv": "id\nc1\n", "workers.csv": "id,trade\nw1,a\n",
        "reviews.jsonl": """
        {"c":"c1","w":"w1","t":1,"status":"no_show"}
        {"c":"c1","w":"w1","t":2,"status":"cancelled"}

        """,
      ])
    #expect(try values(night) == [1])
    #expect(night.counts("reviews")?["ignored"] == 1)
  }

  /// Words of more than eight bytes are compared byte by byte.
  @Test(arguments: [
    ("{ from: status, map: { superliked: 2, superhated: -2, considering: ignore, seen: 3 } }", "seen,"),
    (
      "{ from: status, map: { superliked: 2, superhated: -2, considering: ignore, seen: { from: stars } } }",
      "seen,3"
    ),
  ])
  func `long words have their values`(value: String, third: String) throws {
    let night = try night(
      "c1,w1,1,superliked,\nc1,w1,2,superhated,\nc1,w1,3,\(third)\nc1,w1,4,considering,\nc1,w1,5,superlikes,\n"
        + "c1,w1,6,superlik,\nc1,w1,7,considering2,\n", value: value)
    #expect(try values(night) == [2, -2, 3])
    #expect(night.counts("reviews")?["ignored"] == 1)
    #expect(try night.rejects().map { $0[5] } == ["superlikes", "superlik", "considering2"])
  }

  @Test func `a JSON number is compared as a word`() throws {
    let numbers = ["1", "0", "10", "2", "-1", "1.5", "9", "true"]
    let rows = numbers.enumerated().map { #"{"c":"c1","w":"w1","t":\#($0),"status":\#($1)}"# + "\n" }
    let value = "{ from: status, map: { \"1\": 4, \"0\": -4, \"10\": 5, \"9\": 6, \"1.5\": 7 } }"
    let night = try Night(
      Self.yaml(value).replacing("reviews.csv", with: "reviews.jsonl"),
      ["customers.csv": "id\nc1\n", "workers.csv": "id,trade\nw1,a\n", "reviews.jsonl": rows.joined()])
    #expect(try values(night) == [4, -4, 5, 7, 6])
    #expect(
      try night.rejects().map { Array($0[3...5]) } == [
        ["status", "unknown_value", "2"], ["status", "unknown_value", "-1"],
        ["status", "unknown_value", "true"],
      ])
  }

  private static let computed = """
    computed:
      workers:
        rating: { shrunken_mean_of: reviews, strength: 2, by: trade }
        plain: { shrunken_mean_of: reviews, strength: 0 }
        jobs: { count_of: reviews }
    """

  private func column(_ name: String, _ night: Night) throws -> [Double] {
    try #require(night.snapshot().entities["workers"]?.computed[name]).elements
  }

  @Test func `means are shrunk toward the group's mean`() throws {
    let night = try night(
      "c1,w1,1,done,5\nc2,w1,2,done,4\nc1,w2,3,no_show,\nc3,w4,4,done,2\nc3,w4,9,done,5\n",
      extra: Self.computed, asOf: Instant(milliseconds: 5))
    #expect(try column("jobs", night) == [2, 1, 0, 1])
    // Group a has the values 5, 4 and 1. Group b has no values, so its prior is the mean of all
    // values: 5, 4, 1 and 2. Workers without a group have the same prior.
    let (a, all) = (10.0 / 3, 3.0)
    #expect(try column("rating", night) == [(9 + 2 * a) / 4, (1 + 2 * a) / 3, all, (2 + 2 * all) / 3])
    #expect(try column("plain", night) == [4.5, 1, all, 2])
  }

  @Test func `without received values all means are missing`() throws {
    let night = try night("c1,w1,1,cancelled,\n", extra: Self.computed)
    #expect(try column("jobs", night) == [0, 0, 0, 0])
    #expect(try column("rating", night).allSatisfy(\.isNaN))
  }

  @Test func `without entities there are empty columns`() throws {
    let night = try night("", workers: "", extra: Self.computed)
    #expect(try column("rating", night) == [])
  }

  @Test func `a cut computes attributes again from earlier interactions`() throws {
    let night = try night(
      "c1,w1,1,done,5\nc2,w1,2,done,4\nc1,w2,3,no_show,\nc3,w4,4,done,2\n", extra: Self.computed)
    _ = try SnapshotCut.write(
      night.snapshot(), pipeline: night.pipeline, entityCut: { _, _ in 2 },
      keepsInteraction: { _, index in index != 1 }, asOf: Instant(milliseconds: 2),
      into: night.scratch("cut"), tool: "test", laterProfiles: .asExported)
    let cut = try Snapshot(
      night.scratch("cut/snapshot"), entities: night.pipeline.entities.map(\.schema),
      interactions: night.pipeline.interactions.map(\.schema))
    // Rows are ordered by customer. The cut omits the row of c1 about w2.
    #expect(cut.entities["workers"]?.computed["jobs"]?.elements == [2, 0, 0, 1])
    #expect(cut.entities["workers"]?.computed["rating"]?.elements[1] == 4.5)
  }
}

/// Entities whose owner is optional.
@Suite struct OptionalOwnerTests {
  @Test(arguments: [true, false]) func `a worker may have no owner`(isOptional: Bool) throws {
    let night = try Night(
      """
      pipeline: p
      as_of: newest
      plausible: [1, 9999]
      reject_limit: 1
      entities:
        customers: { source: { path: customers.csv }, id: id, created: made }
        workers:
          source: { path: workers.csv }
          id: id
          owner: { from: account, entity: customers\(isOptional ? ", optional: true" : "") }
      """,
      [
        "customers.csv": "id,made\nc1,1\nc2,9\n",
        "workers.csv": "id,account\nw1,c1\nw2,\nw3,gone\nw4,c2\n",
      ], asOf: Instant(milliseconds: 5))
    let owner = try #require(night.snapshot().entities["workers"]?.owner).elements
    if isOptional {
      #expect(owner == [0, EntityTable.noOwner, EntityTable.noOwner, EntityTable.noOwner])
      #expect(night.accounts("workers") == [4, 4, 0, 0, 0])
    } else {
      #expect(owner == [0])
      #expect(try night.rejects().map { $0[4] } == ["missing_id", "unknown_owner"])
      #expect(night.accounts("workers") == [4, 1, 2, 0, 1])
    }
  }
}

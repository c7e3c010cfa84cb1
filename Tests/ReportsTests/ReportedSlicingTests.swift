internal import RunSchemas
import Testing
import Text

@testable import Reports

/// The table of user groups. Small groups and figures of few users are hidden.
@Suite struct ReportedSlicingTests {
  private static func slice(_ name: String, _ users: Int, area: JSONValue) -> JSONValue {
    [
      "slice": .string(name), "users": .integer(users), "auc": area,
      "ndcg@10": Found.estimate(0.3, users: 50),
    ]
  }

  private static func lines(_ slices: [JSONValue], name: String = "city", tests: [JSONValue] = []) throws
    -> [String]
  {
    var world = try RunByHand()
    world.judged = [
      "near": Found.ranking(tests: tests, more: ["slices": [name: .array(slices)]])
    ]
    return try #require(Section.slices(world.run())).shown
  }

  @Test func `a group of nine is left out, and reported as such`() throws {
    let area = Found.estimate(0.6, users: 50, 0.5...0.7)
    let lines = try Self.lists(area)
    #expect(lines.contains("Galway | 10 | 0.300 | 0.600 (0.500 to 0.700)"))
    #expect(!lines.contains { $0.hasPrefix("Cork") || $0.hasPrefix("Sligo") })
    // An empty group does not count as omitted.
    #expect(lines.contains("This table omits 1 group with fewer than 10 users."))
  }

  private static func lists(_ area: JSONValue) throws -> [String] {
    try lines([
      slice("Cork", 9, area: area), slice("Galway", 10, area: area), slice("Sligo", 0, area: area),
    ])
  }

  @Test(arguments: [(9, "–", 0), (10, "0.600 (0.500 to 0.700)", 1)])
  func `a figure that fewer than ten people of a group have is not shown`(
    _ users: Int, _ shown: String, _ points: Int
  ) throws {
    let figures = Self.slice("Galway", 30, area: Found.estimate(0.6, users: users, 0.5...0.7))
    #expect(try Self.lines([figures]).contains("Galway | 30 | 0.300 | \(shown)"))
    let slicing = ReportedSlicing.all(
      of: Found.judged(Found.ranking(more: ["slices": ["city": .array([figures])]])))
    #expect(slicing.flatMap(\.blocks.charts).map(\.data.rows.count) == [points])
  }

  @Test func `a division with only small groups is not shown`() throws {
    let lines = try Self.lines([Self.slice("Cork", 9, area: Found.estimate(0.6, users: 9))])
    #expect(lines.contains("Every group is too small to show.") && !lines.contains { $0.contains("omits") })
  }

  @Test(
    arguments: [
      (0.1...0.3, "*+0.200* (+0.100 to +0.300)"), (0.0...0.4, "+0.200 (0.000 to +0.400)"),
    ] as [(ClosedRange<Double>, String)])
  func `significant differences are highlighted`(_ interval: ClosedRange<Double>, _ shown: String) throws {
    let figures = Self.slice("Galway", 30, area: Found.estimate(0.6, users: 30, 0.5...0.7)).members.merging([
      "auc_less_createml": Found.estimate(0.2, users: 30, interval)
    ]) { $1 }
    let lines = try Self.lines(
      [.object(figures)], tests: [Found.test("createml", "auc", difference: 0.2, p: 0.01)])
    #expect(lines.contains("Galway | 30 | 0.300 | 0.600 (0.500 to 0.700) | \(shown)"))
  }

  @Test(
    arguments: [
      ("learning_interactions", "By number of earlier interactions"),
      ("candidates_in_reach", "By number of candidates within reach"), ("account", "By age of the account"),
      ("city", "By city"),
    ])
  func `a division has a title and a caption`(_ name: String, _ title: String) throws {
    let slices: JSONValue = .array([Self.slice("Galway", 30, area: Found.estimate(0.6))])
    let slicings = ReportedSlicing.all(of: Found.judged(Found.ranking(more: ["slices": [name: slices]])))
    let figure = try #require(slicings.first?.blocks.charts.first)
    #expect(figure.title.shown == title)
    #expect(
      figure.table.caption.shown == "near, \(name): means with 95 % bootstrap intervals, resampled by user")
  }

  @Test func `common divisions precede a product's own words`() throws {
    let slices: JSONValue = .array([Self.slice("1-4", 20, area: Found.estimate(0.6))])
    let all = ReportedSlicing.all(
      of: Found.judged(
        Found.ranking(more: [
          "slices": [
            "age": slices, "account": slices, "candidates_in_reach": slices, "learning_interactions": slices,
          ]
        ])))
    #expect(all.map(\.name) == ["learning_interactions", "candidates_in_reach", "account", "age"])
    // A range of numbers has an en dash, and a word keeps its hyphen.
    #expect(all[0].blocks[0].shown[1].hasPrefix("1–4") && all[3].blocks[0].shown[1].hasPrefix("1-4"))
  }
}

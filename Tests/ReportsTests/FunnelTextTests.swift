import Files
import PipelineFile
import RunSchemas
import TestSupport
import Testing
import Text

@testable import Reports

/// All lines of the section about lists.
@Suite struct FunnelTextTests {
  @Test func `the funnel has its steps, its reasons and its pairs`() throws {
    var world = try RunByHand()
    world.lists = [
      "near": [
        "users": [
          "total": 100, "full_lists": 20, "empty_lists": 30,
          "shortfall": ["none_left": 30, "no_position": 30, "none_in_radius": 40],
        ],
        "candidates": [
          "counted_users": 40, "pairs": 200, "out_of_reach": 20, "excluded": ["self": 100, "friends": 8],
          "not_above_minimum": 5, "beyond_top": 25, "listed": 42,
        ],
      ]
    ]
    let section = try Section.funnel(world.run())
    let lines = section.shown
    #expect(
      lines.dropLast() == [
        "From all users to full lists of near", "all users | 100 | 100 %",
        "who see at least one candidate | 70 | 70.0 %", "with a full list of 10 | 20 | 20.0 %",
        "Why lists of near are short or empty", "no other candidate is within the radius | 40",
        "the user has no position, and the list has a radius | 30",
        "no other candidate is left, for example because the user has decided on all of them | 30",
        "Pairs of a user and a candidate, for 40 users", "out of reach | 20 | 10.0 %",
        "owned by a friend | 8 | 4.0 %", "the user, or owned by the user | 100 | 50.0 %",
        "score not above the minimum | 5 | 2.5 %", "below the last place of a full list | 25 | 12.5 %",
        "on the list | 42 | 21.0 %",
      ])
    let figure = try #require(section.blocks.charts.first)
    #expect(figure.name == "funnel-near" && figure.data.fields == ["step", "users"])
    let rows: [[JSONValue]] = [
      [.string("all users"), .integer(100)], [.string("who see at least one candidate"), .integer(70)],
      [.string("with a full list of 10"), .integer(20)],
    ]
    #expect(figure.data.rows == rows)
    #expect(
      figure.description.shown
        == "One bar per step: all users 100, who see at least one candidate 70, with a full list of 10 20.")
    let chart = try #require(figure.chart as? RowChart)
    #expect(chart.contained == [100] && chart.title == nil)
    var bars: [String] = []
    for row in chart.rows {
      for mark in row.marks { if case .bar(let value, let text) = mark { bars.append("\(value) \(text)") } }
    }
    #expect(bars == ["100.0 100", "70.0 70", "20.0 20"])
  }

  @Test(
    arguments: [
      (
        "{ at_most: 3, at_least: 2 }", 8.0, 12 as Double?,
        "Limits on exposure: 4 candidates on as many lists as the ranking allows, and 1 candidate on fewer than 2 lists. "
          + "The total score of the lists is 66.7 % of the total without limits."
      ),
      ("{ at_most: 3 }", 9, 0, "Limits on exposure: 4 candidates on as many lists as the ranking allows."),
      (
        "{ at_least: 1 }", 12, 12,
        "Limits on exposure: 1 candidate on fewer than 1 list. "
          + "The total score of the lists is 100 % of the total without limits."
      ),
      ("", 8, nil, nil),
    ] as [(String, Double, Double?, String?)])
  func `the effect of limits on exposure has a sentence`(
    limits: String, value: Double, unlimited: Double?, sentence: String?
  ) throws {
    var world = try RunByHand()
    if !limits.isEmpty {
      world.yaml = world.yaml.replacing("exclude: [self] }", with: "exclude: [self], exposure: \(limits) }")
    }
    var counts = RunByHand.list(users: 100, full: 20, empty: 3).members
    if let unlimited {
      counts["exposure"] = [
        "at_ceiling": 4, "below_floor": 1, "value": .number(value),
        "value_without_limits": .number(unlimited),
      ]
    }
    world.lists = ["near": .object(counts)]
    #expect(try Section.funnel(world.run()).shown.first { $0.hasPrefix("Limits") } == sentence)
  }

  @Test func `lists by word count lists, and users with all lists full`() throws {
    func shown(_ per: String) throws -> (last: String, column: String) {
      var world = try RunByHand()
      world.yaml = world.yaml.replacing("exclude: [self] }", with: "exclude: [self]\(per) }")
      world.lists = ["near": RunByHand.list(users: 10, full: 5, empty: 1, shortfall: ["none_left": 12])]
      let section = try Section.funnel(world.run())
      var columns: [String] = []
      for block in section.blocks {
        if case .table(let table) = block { columns.append(table.columns[1].title) }
      }
      return (section.shown[3], columns.joined())
    }
    let (plain, each) = (try shown(""), try shown(", per: city"))
    #expect(plain.last == "with a full list of 10 | 5 | 50.0 %" && plain.column == "Users")
    #expect(each.last == "with all lists full | 5 | 50.0 %" && each.column == "Lists")
  }

  @Test func `catalogs and matches are counted by name, and a run may have no lists`() throws {
    let world = try RunByHand()
    let run = try world.run()
    let manifest = Manifest(
      tool: "nightjar 0", stage: "rankings", pipeline: run.name, configuration: run.snapshot.configuration,
      asOf: world.asOf, seed: 0,
      counts: ["catalogs": ["dogs": 1, "cities": 3], "matches": ["pairs": 2, "couples": 1]])
    try world.scratch.write(manifest.json, to: "rankings/manifest.json")
    let other = try ReportedRun(world.scratch.path, record: nil)
    #expect(
      Section.funnel(other).shown == [
        "This pipeline makes no lists for users.",
        "The run also wrote 3 entries in cities, 1 entry in dogs, 1 pair in couples, 2 pairs in pairs.",
      ])
    #expect(!Section.funnel(run).shown.contains { $0.hasPrefix("The run also wrote") })
  }
}

internal import RunSchemas
import Testing
import Text

@testable import Reports

/// The caveats of a report. The tests use the exact thresholds.
@Suite struct CaveatsTests {
  /// Returns the caveats that contain `words`.
  private static func caveats(
    _ words: String, _ figures: JSONValue = Found.ranking(), _ change: (inout RunByHand) -> Void = { _ in }
  ) throws -> [String] {
    var world = try RunByHand()
    world.judged = ["near": figures]
    change(&world)
    return try (Section.caveats(world.run())?.shown ?? []).filter { $0.contains(words) }
  }

  private static func figures(_ more: [String: JSONValue]) -> JSONValue { Found.ranking(more: more) }

  @Test(arguments: [(0, false), (1, true), (99, true), (100, false)])
  func `shares of fewer than a hundred users are coarse`(_ users: Int, _ isReported: Bool) throws {
    let reported = try Self.caveats("so its shares are coarse") {
      $0.lists = ["near": RunByHand.list(users: users, full: 0, empty: 0)]
    }
    #expect(reported.isEmpty == !isReported)
  }

  @Test(arguments: [(9, "fewer than 10"), (10, "10"), (99, "99"), (100, nil)] as [(Int, String?)])
  func `an AUC over fewer than a hundred users gets a caveat`(_ users: Int, _ count: String?) throws {
    let reported = try Self.caveats(
      "Few users determine", Found.ranking(area: Found.estimate(0.7, users: users, 0.69...0.71)))
    #expect(
      reported == (count.map { ["Few users determine the AUC of near: \($0)."] } ?? []))
  }

  @Test(arguments: [(0.5, 0.59, 10, false), (0.5, 0.61, 10, true), (0.5, 0.61, 9, false)])
  func `an interval wider than a tenth is reported as wide`(
    _ low: Double, _ high: Double, _ users: Int, _ isReported: Bool
  ) throws {
    let reported = try Self.caveats(
      "wide interval", Found.ranking(area: Found.estimate(0.55, users: users, low...high)))
    #expect(reported.isEmpty == !isReported)
  }

  /// If there are enough clusters, the interval by clusters decides.
  @Test func `the interval by clusters counts if there is one`() throws {
    let area = Found.estimate(0.55, 0.54...0.56, byCluster: 0.4...0.6)
    #expect(try Self.caveats("wide interval", Found.ranking(area: area, clusters: 5)).count == 1)
    #expect(try Self.caveats("wide interval", Found.ranking(area: area, clusters: 4)).isEmpty)
  }

  @Test(arguments: [(4, true), (5, false)])
  func `fewer than five clusters leave intervals too narrow`(_ clusters: Int, _ isReported: Bool) throws {
    let reported = try Self.caveats("treat users as independent", Found.ranking(clusters: .integer(clusters)))
    #expect(reported.isEmpty == !isReported)
  }

  @Test(arguments: [(100, false), (90, false), (89, true), (0, true)])
  func `more than a tenth of likes out of reach is reported`(_ reachable: Int, _ isReported: Bool) throws {
    let reported = try Self.caveats(
      "No list could have contained them",
      Self.figures(["decisions": ["likes": 100], "users": ["reachable_likes": .integer(reachable)]]))
    #expect(reported.isEmpty == !isReported)
    if let reported = reported.first {
      #expect(reported.hasPrefix("\(reachable == 0 ? "100 %" : "11.0 %") of later likes in near"))
    }
  }

  @Test(arguments: [(0, false), (10, false), (11, true)])
  func `more than a tenth of users without a list is reported`(_ without: Int, _ isReported: Bool) throws {
    let reported = try Self.caveats(
      "had an empty list",
      Self.figures(["users": ["with_likes": 100, "with_likes_without_list": .integer(without)]]))
    #expect(reported.isEmpty == !isReported)
  }

  @Test(
    arguments: ["of_later_users", "with_later_candidates", "decided_before", "not_the_latest", "taken_back"])
  func `more than a tenth of later interactions that do not count is reported`(_ key: String) throws {
    func reported(_ lost: Int) throws -> Bool {
      try !Self.caveats(
        "do not count for near",
        Self.figures(["decisions": ["interactions": 100, key: .integer(lost)]])
      ).isEmpty
    }
    // A retracted row does not count as a lost decision.
    #expect(try !reported(10) && reported(11) == (key != "taken_back"))
  }

  @Test(arguments: [
    (10, "unknown", nil), (11, "unknown", "treats their values as missing."),
    (11, "as_exported", "uses their current values."),
  ])
  func `more than a tenth of unknown profiles is reported`(
    _ unknown: Int, _ setting: String, _ ending: String?
  ) throws {
    let reported = try Self.caveats("changed after the cut") {
      $0.split = [
        "entities": ["people": ["as_of_cut": 100, "unknown_profile": .integer(unknown)]],
        "later_profiles": .string(setting),
      ]
    }
    #expect(reported.isEmpty == (ending == nil))
    if let reported = reported.first, let ending {
      #expect(reported.hasPrefix("11.0 % of people") && reported.hasSuffix("The evaluation " + ending))
    }
  }

  @Test func `the caveat about the past needs enough users`() throws {
    #expect(try Self.caveats("An evaluation uses the past").count == 1)
    #expect(try Self.caveats("An evaluation uses the past", Found.ranking(verdict: "too_few_users")).isEmpty)
  }

  @Test func `only a readable earlier run has a table of changes`() throws {
    let run = try RunByHand().run()
    #expect([.none, .unreadable(7)].allSatisfy { Section.changes(run, since: $0) == nil })
    let shown = try #require(Section.changes(run, since: .read(run))).shown
    #expect(shown.contains { $0.hasPrefix("swipes kept | ") })
  }

  @Test func `without an evaluation, one section explains how to evaluate`() throws {
    let run = try RunByHand().run()
    let sections = [
      Section.quality(run), Section.slices(run), Section.calibration(run), Section.exposure(run),
    ]
    #expect(sections.compactMap { $0?.id } == ["headline"])
  }
}

import Files
import Foundation
import StageFixture
import Testing
import TestSupport
import Text

@testable import Evaluation

/// Uses the interactions since an earlier run to judge the lists that the run published.
@Suite struct PreviousRunTests {
  private static let people = (0..<4).map { "p\($0),1,1,50,8,Cork,Art," }

  private static func night(_ people: [String], _ swipes: [String]) throws -> StageFixture {
    let fixture = try SmallWorld.fixture(
      people: people, swipes: swipes, evaluation: "{ cut: 0.5, at: [3], samples: 100 }")
    try fixture.runStages()
    return fixture
  }

  /// The last interaction of the first night is at 50.
  private static let before = ["p3,p0,1,r", "p0,p1,40,r", "p1,p0,45,l", "p2,p3,50,l"]

  private static func judged(_ people: [String], _ swipes: [String]) throws -> JSONValue {
    let (early, late) = (try night(Self.people, before), try night(people, before + swipes))
    return try #require(late.evaluate(previous: early.run).metrics["previous"]?["rankings"]?["near"])
  }

  @Test func `only interactions after the earlier run's as-of time count`() throws {
    // A row in the same second as the end of the earlier run does not count as later, even if that
    // run lacks it.
    let judged = try Self.judged(Self.people, ["p0,p2,50,r", "p0,p3,51,r", "p1,p2,52,l"])
    #expect(judged["likes"] == 1 && judged["users_with_likes"] == 1)
  }

  @Test func `only users and candidates of the earlier run count`() throws {
    let people = ["n,60,60,50,8,Cork,Art,"] + Self.people
    let judged = try Self.judged(people, ["n,p2,61,r", "p0,n,62,r", "p0,p2,63,r", "p0,p1,64,r"])
    // p0 had already decided on p1.
    #expect(judged["likes"] == 1 && judged["users_with_likes"] == 1)
    #expect(judged["finding"]?["hit_rate@3"]?["mean"] == 1 && judged["finding"]?["recall@3"]?["users"] == 1)
    #expect(judged["users_with_likes_without_list"] == 0)
  }

  @Test func `churn covers people of both runs with a list in one of them`() throws {
    let people = ["n,60,60,50,8,Cork,Art,"] + Self.people
    let (early, late) = (
      try Self.night(Self.people, Self.before),
      try Self.night(people, Self.before + ["p0,p2,61,r", "n,p1,62,r", "n,p2,63,r"])
    )
    func users(_ night: StageFixture) throws -> Set<String> {
      Set(try night.rows("rankings/near.csv").map { $0[0] })
    }
    let metrics = try late.evaluate(previous: early.run).metrics
    let overlap = try #require(metrics["previous"]?["rankings"]?["near"]?["rank_biased_overlap"])
    let expected = [
      "snapshot": try Manifest(of: late.run + "/snapshot").digest,
      "rankings": try Manifest(of: late.run + "/rankings").digest,
      "previous_rankings": try Manifest(of: early.run + "/rankings").digest,
    ]
    #expect(try Manifest(of: late.run + "/evaluation").parents == expected)
    // The new user has a list now, but the previous run has no list for this user.
    #expect(try users(late).contains("n"))
    #expect(try overlap["users"] == .integer(users(early).union(users(late)).subtracting(["n"]).count))
    func lists(_ night: StageFixture) throws -> [String: [String]] {
      try night.rows("rankings/near.csv").reduce(into: [:]) { $0[$1[0], default: []].append($1[2]) }
    }
    let (before, after) = (try lists(early), try lists(late))
    let overlaps = Set(before.keys).union(after.keys).subtracting(["n"]).sorted().map { user in
      rankBiasedOverlap(before[user] ?? [], after[user] ?? [])
    }
    let mean = try #require(overlap["mean"]?.numberValue)
    #expect(mean < 1 && abs(mean - overlaps.reduce(0, +) / Double(overlaps.count)) < 1e-12)
  }

  /// The user `q` is far from all candidates, so the earlier run has no list for this user.
  @Test func `a user without a published list counts, and without lists now there is no churn`() throws {
    let people = Self.people + ["q,1,1,-50,100,Cork,Art,"]
    let (early, late) = (
      try Self.night(people, Self.before), try Self.night(people, Self.before + ["q,p0,60,r"])
    )
    try FileManager.default.removeItem(atPath: late.run + "/rankings")
    let metrics = try late.evaluate(previous: early.run).metrics
    let judged = try #require(metrics["previous"]?["rankings"]?["near"])
    #expect(judged["likes"] == 1 && judged["users_with_likes"] == 1)
    #expect(judged["users_with_likes_without_list"] == 1)
    #expect(judged["finding"]?["recall@3"]?["mean"] == 0 && judged["finding"]?["recall@3"]?["users"] == 1)
    #expect(judged["rank_biased_overlap"] == .null)
    let parents = try Manifest(of: late.run + "/evaluation").parents
    #expect(parents.keys.sorted() == ["previous_rankings", "snapshot"])
  }

  @Test func `a run with the same time, without lists, or of another pipeline is rejected`() throws {
    let (early, late) = (try Self.night(Self.people, Self.before), try Self.night(Self.people, Self.before))
    #expect(throws: NotEarlierRun.self) { try late.evaluate(previous: early.run) }
    #expect(throws: FileError.self) { try late.evaluate(previous: early.directory) }
    let other = try StageFixture(
      yaml: RandomExport.yaml(features: "[distance]", ranking: "    top: 3"),
      files: RandomExport(seed: 1, people: 10, swipes: 20).files)
    try other.runStages()
    #expect(throws: OtherPipelinesRun.self) { try late.evaluate(previous: other.run) }
  }

  @Test func `published lists are read by id, and an entry of an unknown candidate keeps its rank`() throws {
    let scratch = try ScratchDirectory()
    try scratch.write(
      """
      user_id,rank,candidate_id,score,distance_km
      b,1,zz,0.5,1
      b,2,x,0.4,1
      gone,1,x,0.5,1
      '=a,1,y,,

      """, to: "rankings/near.csv")
    let lists = try PublishedLists(
      "near", in: scratch.path, users: ByHand.strings(["=a", "b", "c"]),
      candidates: ByHand.strings(["x", "y"])
    ).lists
    #expect(lists == [[1], [.max, 0], []])
    #expect(throws: FileError.self) {
      try PublishedLists(
        "far", in: scratch.path, users: ByHand.strings(["a"]), candidates: ByHand.strings(["x"]))
    }
  }

  @Test func `a missing file of lists is damage if the manifest lists the file`() throws {
    let night = try Self.night(Self.people, Self.before)
    let file = night.run + "/rankings/near.csv"
    try FileManager.default.removeItem(atPath: file)
    for (name, operation) in [("near", FileError.Operation.read), ("far", .find)] {
      let error = #expect(throws: FileError.self) {
        try PublishedLists(
          name, in: night.run, users: ByHand.strings(["b"]), candidates: ByHand.strings(["x"]))
      }
      #expect(error?.operation == operation && error?.path == night.run + "/rankings/\(name).csv")
    }
  }

  @Test(arguments: [",1,x,0.5,1", "b,1,,0.5,1", "b,1", "b,1,\"x,0.5,1"])
  func `a line without a user or a candidate is rejected with its number`(_ line: String) throws {
    let scratch = try ScratchDirectory()
    try scratch.write(
      "user_id,rank,candidate_id,score,distance_km\nb,1,x,0.5,1\n\(line)\n", to: "rankings/near.csv")
    let error = #expect(throws: FileError.self) {
      try PublishedLists(
        "near", in: scratch.path, users: ByHand.strings(["b"]), candidates: ByHand.strings(["x"]))
    }
    #expect(error?.reason.contains("line 3") == true)
  }
}

/// The terminal output hides figures about small groups.
@Suite struct EvaluationTextTests {
  /// Ten people of Cork and nine people of Galway like and pass after the cut.
  @Test func `a slice of nine people is hidden, and a slice of ten is shown`() throws {
    let people = (10..<29).map { "p\($0),1,1,50,8,\($0 < 20 ? "Cork" : "Galway"),Art," }
    let swipes = (10..<29).flatMap { person in
      [
        "p\(person),p\(10 + (person + 1) % 19),\(person),r",
        "p\(person),p\(10 + (person + 2) % 19),\(100 + person),r",
        "p\(person),p\(10 + (person + 3) % 19),\(200 + person),l",
      ]
    }
    let fixture = try SmallWorld.fixture(
      people: people, swipes: swipes,
      evaluation: "{ cut: '1970-01-01T00:00:00.100Z', at: [1, 5], samples: 100 }")
    try fixture.runStages()
    let text = try fixture.evaluate().text
    let lines = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    let cork = try #require(lines.first { $0.starts(with: ["city", "Cork"]) })
    // Both figures cover the ten users.
    #expect(cork[2] == "10" && cork.count == 3 + 6)
    #expect(!lines.contains { $0.starts(with: ["city", "Galway"]) })
    #expect(
      text.contains("warning: lists have only 3 places, so metrics at 5 count the missing places as misses"))
    #expect(text.contains("the pipeline at 1: ") && !text.contains("the pipeline at 5: "))
    #expect(text.contains("users   19 as of the cut; 19 decided later, 19 liked a candidate"))
  }
}

import Files
import PipelineFile
import RunSchemas
import TestSupport
import Testing
import Text

@testable import Reports

/// The text of the section about quality.
@Suite struct QualitySectionTests {
  private static func lines(_ split: JSONValue, _ figures: JSONValue = Found.ranking()) throws -> [String] {
    var world = try RunByHand()
    world.split = split
    world.judged = ["near": figures]
    return try Section.quality(world.run()).shown
  }

  private static func learned(_ when: String) -> String {
    "The evaluation fitted models and made lists from the 900 swipes \(when). It tested them on the "
      + "100 later swipes. Each method ranks the same candidates for the same users."
  }

  @Test(
    arguments: [
      ([["cut_ms": 1_700_000_000_000]], [], "up to 2023-11-14 22:13 UTC"),
      ([["cut_ms": 1000], ["cut_ms": 2000]], [], "up to a cut in each of 2 groups"),
      ([], [], "up to a cut in each of 0 groups"),
      ([["cut_ms": 1000]], ["leave_last"], "without each user’s last interactions"),
    ] as [([JSONValue], [String], String)])
  func `the split is described with its counts`(_ groups: [JSONValue], _ leaks: [String], _ when: String)
    throws
  {
    let lines = try Self.lines([
      "interactions": "swipes", "learning": 900, "test": 100, "groups": .array(groups),
      "leaks": .array(leaks.map { .string($0) }),
    ])
    #expect(lines[0] == Self.learned(when))
  }

  @Test func `each leak has a sentence, in order`() throws {
    let leaks = [
      "later_profiles_as_exported", "profiles_without_updated", "groups_share_candidates", "leave_last",
      "moon",
    ]
    let lines = try Self.lines(["leaks": .array(leaks.map { .string($0) })])
    let starts = [
      "Profiles that changed after the cut", "Profiles have no update times", "Some learning interactions",
      "This split leaks the future", "The evaluation leaks the future: moon.",
    ]
    let shown = lines.suffix(5)
    for (line, start) in zip(shown, starts) { #expect(line.hasPrefix(start), "\(line)") }
    #expect(try !Self.lines([:]).contains { $0.contains("leaks") })
  }

  @Test func `each metric has its own number of users, its own chart and a conclusion`() throws {
    let figures = Found.ranking(
      area: Found.estimate(0.7, users: 40), gain: Found.estimate(0.3, users: 60),
      more: ["left_out": ["popular": "no likes", "createml": "it needs numbers"]])
    var world = try RunByHand()
    world.judged = ["near": figures]
    let section = try Section.quality(world.run())
    let lines = section.shown
    let paragraph: String =
      "nDCG@10 measures whether the candidates that users liked later were on their lists, and at which "
      + "rank. It is the mean over 60 users with a later like. AUC measures whether later likes have higher "
      + "scores than later passes; 0.5 is chance. It is the mean over 40 users with later likes and later "
      + "passes."
    #expect(lines[1] == paragraph)
    #expect(
      lines.contains {
        $0.hasPrefix(
          "In finding later likes: the pipeline is better than random order. In ordering likes before passes: "
            + "the pipeline is better than random order. A method counts")
      })
    #expect(section.blocks.charts.map(\.name) == ["ndcg-differences-near", "auc-differences-near"])
    let missing = lines.filter { $0.hasPrefix("The method ‘") }
    #expect(
      missing == [
        "The method ‘Create ML regression’ is missing: it needs numbers",
        "The method ‘most popular first’ is missing: no likes",
      ])
    #expect(
      lines.suffix(2) == [
        "random order | nDCG@10 | +0.200 | 0.001 | 0.50 | 50",
        "random order | AUC | +0.200 | 0.001 | 0.50 | 50",
      ])
  }

  @Test func `an evaluation without lists says so`() throws {
    var world = try RunByHand()
    world.judged = [:]
    let lines = try Section.quality(world.run()).shown
    #expect(lines.count == 2 && lines[1] == "No list of this pipeline could be evaluated.")
    #expect(try !Self.lines([:]).contains("No list of this pipeline could be evaluated."))
  }
}

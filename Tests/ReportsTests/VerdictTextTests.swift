import Files
import RunSchemas
import Testing
import Text

@testable import Reports

/// The sentences, the checks and the steps of a verdict.
@Suite struct VerdictTextTests {
  private static func verdict(_ world: RunByHand, later: [UnfinishedRun] = []) throws -> RunVerdict {
    try RunVerdict(world.run(), previous: .none, later: later)
  }

  private static func check(_ title: String, _ world: RunByHand) throws -> Page.Check {
    try #require(try verdict(world).checks.first { $0.title == title })
  }

  private static func judged(_ figures: JSONValue = Found.ranking()) throws -> RunByHand {
    var world = try RunByHand()
    world.judged = ["near": figures]
    return world
  }

  private static let manyRejects: JSONValue = [
    "swipes": ["read": 100, "kept": 90, "rejected": ["bad_time": 10]]
  ]
  private static let notEvaluable = "value: { from: way, range: [1, 5] }"

  @Test(arguments: [(10, .good), (11, .attention)] as [(Int, Page.Mark)])
  func `more than half of the limit of dangling rows needs attention`(_ rows: Int, _ mark: Page.Mark) throws {
    var world = try RunByHand()
    world.yaml = RunByHand.yaml(more: "dangling_limit: 0.2")
    world.sources = [
      "swipes": ["read": 100, "kept": .integer(100 - rows), "dangling": ["unknown_user": .integer(rows)]]
    ]
    let check = try Self.check("Rows rejected", world)
    #expect(check.mark == mark)
    #expect(check.meaning.shown == "0 of 100 rows, by 0 rules; \(rows) dangling")
  }

  @Test(
    arguments: [("people", 5, .good), ("swipes", 2, .good), ("swipes", 3, .attention)]
      as [(String, Int, Page.Mark)])
  func `half of a source's own limit counts for this source`(
    _ source: String, _ rejected: Int, _ mark: Page.Mark
  ) throws {
    var world = try RunByHand()
    world.yaml = world.yaml.replacing(
      "source: { path: swipes.csv }", with: "source: { path: swipes.csv }\n    reject_limit: 0.04")
    world.sources = [
      source: [
        "read": 100, "kept": .integer(100 - rejected), "rejected": ["bad_time": .integer(rejected)],
      ]
    ]
    #expect(try Self.check("Rows rejected", world).mark == mark)
  }

  @Test func `the check of rows adds all sources, and counts each rule once`() throws {
    var world = try RunByHand()
    world.sources = [
      "people": ["read": 100, "kept": 98, "rejected": ["bad_id": 2]],
      "swipes": [
        "read": 100, "kept": 93, "rejected": ["bad_id": 1, "bad_time": 3], "dangling": ["unknown_user": 2],
        "not_allowed": ["self_interaction": 1],
      ],
    ]
    let check = try Self.check("Rows rejected", world)
    #expect(check.figure.shown == "3.0 %" && check.mark == .good)
    #expect(check.meaning.shown == "6 of 200 rows, by 2 rules; 2 dangling; 1 not allowed")
  }

  @Test func `faults follow the quality in one sentence`() throws {
    var world = try Self.judged()
    world.sources = Self.manyRejects
    world.lists = ["near": RunByHand.list(users: 100, full: 1, empty: 51)]
    let faults =
      "a source is empty or has many rejected or dangling rows and over 20 % of users have an empty list."
    let verdict = try Self.verdict(world)
    #expect(verdict.sentence.shown.hasSuffix(", and no other method is better, but \(faults)"))
    #expect(verdict.steps.answer == "2 things" && verdict.steps.mark == .attention)
    #expect(
      verdict.steps.sentences.map(\.shown) == [
        "See the rows of each source, and inform the team that writes the exports.",
        "Find out why lists are empty.",
      ])
    world.judged = ["near": Found.ranking(verdict: "beaten")]
    #expect(
      try Self.verdict(world).sentence.shown.hasSuffix(
        ", but less often than another method. Also, \(faults)"))
  }

  @Test func `without a quality, the faults are the sentence`() throws {
    var world = try RunByHand()
    world.yaml = world.yaml.replacing(
      "value: { from: way, map: { r: 1, l: -1 } }", with: Self.notEvaluable)
    let good = try Self.verdict(world)
    #expect(good.sentence.shown == "Nightjar found no fault in the data and the lists.")
    #expect(good.steps.answer == "Nothing" && good.steps.mark == .good)
    #expect(good.steps.sentences.map(\.shown) == ["No figure of this run needs your attention."])
    world.sources = Self.manyRejects
    let bad = try Self.verdict(world)
    #expect(bad.sentence.shown == "A source is empty or has many rejected or dangling rows.")
    #expect(bad.steps.answer == "One thing" && bad.answer == "With reservations")
  }

  @Test func `a run without rows or users names the step for each`() throws {
    var world = try Self.judged()
    world.sources = ["swipes": ["read": 0, "kept": 0]]
    world.lists = ["near": RunByHand.list(users: 0, full: 0, empty: 0)]
    let verdict = try Self.verdict(world)
    #expect(verdict.checks.map(\.title) == ["Quality", "Rows rejected", "Users served"])
    #expect(verdict.checks.dropFirst().map(\.figure.shown) == ["no rows", "no users"])
    #expect(
      verdict.sentence.shown.hasSuffix(
        ", but the exports contain no rows and no user is eligible for lists."))
    #expect(
      verdict.steps.sentences[0].shown.hasPrefix("Check that the pipeline file names the right exports"))
    world.lists = ["near": RunByHand.list(users: 3, full: 0, empty: 3)]
    #expect(try Self.verdict(world).sentence.shown.hasSuffix("no rows and all lists are empty."))
    world.lists = [:]
    let none = try Self.check("Lists", world)
    #expect(none.mark == .good && none.figure.shown == "none")
  }

  @Test func `a bad check comes before checks that need attention`() throws {
    var world = try Self.judged()
    world.sources = Self.manyRejects
    world.lists = ["near": RunByHand.list(users: 100, full: 1, empty: 51)]
    let later = [UnfinishedRun(number: 3, failure: nil), UnfinishedRun(number: 4, failure: ("fit", 74))]
    let verdict = try Self.verdict(world, later: later)
    let steps = verdict.steps.sentences.map(\.shown)
    #expect(
      steps[0]
        == "Find the cause with nightjar doctor and the log of run 4 (status 74: reading or writing failed), "
        + "then run the pipeline again."
    )
    #expect(steps[1].hasPrefix("See the rows") && steps[2].hasPrefix("Find out why") && steps.count == 3)
    #expect(verdict.steps.answer == "3 things" && verdict.steps.mark == .bad)
    let check = try #require(verdict.checks.last)
    #expect(check.title == "Newer runs" && check.mark == .bad)
    #expect(check.meaning.shown == "this page describes run 2, the last complete run")
    #expect(
      verdict.sentence.shown.hasSuffix(" and run 4 failed in fit (status 74) after 1 other incomplete run."))
    #expect(
      later.map(\.words.shown) == [
        "run 3 was interrupted or is still running", "run 4 failed in fit (status 74)",
      ])
  }

  @Test(
    arguments: [
      (
        "useful",
        "The scores put later likes above later passes more often than chance does, and no other method is better.",
        nil
      ),
      (
        "beaten",
        "The scores put later likes above later passes more often than chance does, but less often than ‘most popular first’ and ‘nearest first’.",
        "Compare the pipeline with the other methods"
      ),
      (
        "nothing_learned",
        "The model learned nothing: the scores put later likes above later passes no more often than chance does.",
        "Do not rely on the scores."
      ),
      (
        "too_few_users",
        "The quality of the lists is unknown, because too few users both liked and passed after the cut.", nil
      ),
    ] as [(String, String, String?)])
  func `each verdict has its sentence and its step`(_ word: String, _ sentence: String, _ step: String?)
    throws
  {
    var tests = [Found.test("random", "auc", difference: 0.2, p: 0.001)]
    if word == "beaten" {
      tests += ["popular", "nearest"].map { Found.test($0, "auc", difference: -0.2, p: 0.01) }
    }
    let verdict = try Self.verdict(Self.judged(Found.ranking(verdict: word, tests: tests)))
    #expect(verdict.sentence.shown == sentence)
    #expect(
      verdict.checks[0].step.shown.hasPrefix(step ?? "") && verdict.checks[0].step.isEmpty == (step == nil))
  }

  @Test func `the check of quality has the interval, the users and chance`() throws {
    let check = try Self.check("Quality", Self.judged())
    #expect(check.figure.shown == "AUC 0.700" && check.reservation.isEmpty)
    #expect(check.meaning.shown == "95 % interval 0.650 to 0.740, over 50 users; 0.5 is chance")
    let none = try Self.check("Quality", Self.judged(Found.ranking(area: Found.estimate(0.7))))
    #expect(none.meaning.shown == "no interval, over 50 users; 0.5 is chance")
    let evaluated = try Self.check("Quality", RunByHand())
    #expect(evaluated.step.shown == "Evaluate the run to learn how good its lists are.")
    #expect(evaluated.meaning.shown == "the lists were not compared with later interactions")
  }

  @Test func `old exports are a fault with a step`() throws {
    var world = try Self.judged()
    world.asOfFrom = "clock"
    try world.writeTimes([world.asOf.milliseconds - 3 * 86_400_000])
    let verdict = try Self.verdict(world)
    #expect(verdict.mark == .attention && verdict.sentence.shown.hasSuffix(", but the exports are old."))
    let steps = verdict.steps.sentences.map(\.shown)
    #expect(steps == ["Check that the app still exports its data every night."])
    #expect(verdict.checks.last?.figure.shown == "3 days")
  }

  @Test(
    arguments: [
      ([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c"),
    ] as [([String], String)])
  func `parts of a sentence are joined`(_ parts: [String], _ joined: String) {
    #expect(parts.map { Words(data: $0) }.joinedAsSentence.plain == joined)
  }

  @Test func `marks are ordered from good to bad, with a word each`() {
    let marks: [Page.Mark] = [.good, .unknown, .attention, .bad]
    let mixed: [Page.Mark] = [.bad, .attention, .good, .unknown]
    #expect(mixed.sorted() == marks)
    #expect(marks.map(\.word) == ["Good", "Unknown", "Needs attention", "Bad"])
  }
}

/// The answer to the question of what changed.
@Suite struct ChangesTextTests {
  private static func changes(_ previous: EarlierRun, _ run: RunByHand) throws -> RunChanges {
    RunChanges(from: previous, to: try run.run())
  }

  @Test func `without a readable earlier run, the changes are unknown`() throws {
    let first = try Self.changes(.none, RunByHand())
    #expect(first.answer.mark == .unknown && first.answer.answer == "Unknown")
    #expect(
      first.answer.sentences.map(\.shown) == [
        "There is no earlier complete run to compare with."
      ])
    let unreadable = try Self.changes(.unreadable(1234), RunByHand())
    #expect(unreadable.answer.mark == .unknown)
    #expect(
      unreadable.answer.sentences.map(\.shown) == [
        "This version of the program cannot read run 1 234."
      ])
    #expect([first, unreadable].allSatisfy { $0.check.mark == .good && $0.check.step.isEmpty })
  }

  private static func worlds() throws -> (before: RunByHand, after: RunByHand) {
    var (before, after) = (try RunByHand(), try RunByHand())
    before.record = .init(number: 1, started: nil, generations: [])
    before.judged = ["near": Found.ranking()]
    after.judged = before.judged
    return (before, after)
  }

  @Test func `three changed figures are named, and the others are counted`() throws {
    var (before, after) = try Self.worlds()
    after.sources = ["swipes": ["read": 200, "kept": 200]]
    after.lists = ["near": RunByHand.list(users: 100, full: 10, empty: 60)]
    let figures = [
      "swipes kept: from 100 in run 1 to 200", "users served of near: from 100 % in run 1 to 40.0 %",
      "full lists of near: from 80.0 % in run 1 to 10.0 %",
    ]
    func sentences() throws -> [String] {
      let changes = try Self.changes(.read(before.run()), after)
      #expect(changes.check.mark == .attention && changes.answer.mark == .attention)
      #expect(changes.check.reservation.shown == "main figures changed considerably")
      return [changes.answer.answer] + changes.answer.sentences.map(\.shown)
    }
    #expect(try sentences() == ["3 figures"] + figures)
    after.judged = ["near": Found.ranking(gain: Found.estimate(0.5))]
    #expect(try sentences() == ["4 figures"] + figures + ["1 more figure"])
    after.judged = ["near": Found.ranking(area: Found.estimate(0.9), gain: Found.estimate(0.5))]
    after.yaml = RunByHand.yaml(rejectLimit: "0.3")
    let settings = "The pipeline file has changed since run 1."
    #expect(try sentences() == ["5 figures"] + figures + ["2 more figures", settings])
    let section = try #require(Section.changes(after.run(), since: .read(before.run())))
    #expect(
      section.shown.dropFirst().dropLast() == [
        "swipes kept | 100 | 200 | *+100*", "rows rejected | 0 % | 0 % | 0.0 points",
        "users served of near | 100 % | 40.0 % | *-60.0 points*",
        "full lists of near | 80.0 % | 10.0 % | *-70.0 points*", "nDCG@10 of near | 0.300 | 0.500 | *+0.200*",
        "AUC of near | 0.700 | 0.900 | *+0.200*",
      ])
    #expect(
      section.shown.last?.contains("nightjar report PIPELINE --compare 1 2 lists the differences") == true)
    before.record = nil
    #expect(try Section.changes(after.run(), since: .read(before.run()))?.blocks.count == 1)
  }

  @Test func `changed settings alone are named after the answer`() throws {
    var (before, after) = try Self.worlds()
    after.yaml = RunByHand.yaml(rejectLimit: "0.3")
    let little = try Self.changes(.read(before.run()), after).answer
    #expect(little.answer == "Little" && little.mark == .good)
    let settings = "The pipeline file has changed since run 1."
    #expect(little.sentences.count == 2 && little.sentences[1].shown == settings)
    #expect(little.sentences[0].shown.hasPrefix("Since run 1, no number changed by more than a tenth"))
    before.inputs = [FileDigest(path: "swipes.csv", bytes: 1, sha256: "ab", rows: 1)]
    after.inputs = before.inputs
    let same = try Self.changes(.read(before.run()), after).answer
    #expect(same.answer == "Nothing" && same.mark == .good)
    #expect(same.sentences.map(\.shown) == ["This run read the same exports as run 1.", settings])
    let section = try #require(Section.changes(before.run(), since: .read(before.run())))
    #expect(section.blocks.count == 1)
  }
}

import Testing
import Text

@testable import PipelineFile

/// The settings of `evaluation`.
struct EvaluationSettingTests {
  private static func yaml(_ evaluation: String, more: String = "") -> String {
    """
    pipeline: p
    entities:
      people:
        source: { path: p.csv }
        id: id
        attributes: { field: { type: category }, area: { type: category }, age: { type: number } }
    interactions:
      likes: { source: { path: l.csv }, user: a, candidate: b, at: t, value: v }
    \(more)
    evaluation: \(evaluation)
    """
  }

  /// Returns the default settings after `change`.
  private static func settings(_ change: (inout Pipeline.Evaluation) -> Void) -> Pipeline.Evaluation {
    var settings = Pipeline.Evaluation()
    change(&settings)
    return settings
  }

  private static func cut(_ cut: Pipeline.Cut) -> Pipeline.Evaluation { settings { $0.cut = cut } }

  private static let november = Instant(milliseconds: 1_793_491_200_000)
  private static let noon = Instant(milliseconds: 1_793_534_400_000)

  @Test(
    arguments: [
      ("{}", settings { _ in }), ("{ cut: 0.25 }", cut(.share(0.25))),
      ("{ cut: 2026-11-01 }", cut(.moment(november))), ("{ cut: 2026-11-01T12:00:00Z }", cut(.moment(noon))),
      ("{ leave_last: 2 }", cut(.leaveLast(2))),
      ("{ cut: null, leave_last: 3, within: ~ }", cut(.leaveLast(3))),
      ("{ within: field }", settings { $0.within = ["field"] }),
      ("{ within: [field, area] }", settings { $0.within = ["field", "area"] }),
      ("{ slices: area }", settings { $0.slices = ["area"] }),
      ("{ slices: [] }", settings { $0.slices = [] }),
      ("{ at: [10, 1, 5] }", settings { $0.at = [1, 5, 10] }),
      ("{ later_profiles: as_exported }", settings { $0.laterProfiles = .asExported }),
      ("{ later_profiles: unknown, samples: 200 }", settings { $0.samples = 200 }),
    ] as [(String, Pipeline.Evaluation)])
  func `each setting is read, and the others have defaults`(text: String, expected: Pipeline.Evaluation)
    throws
  {
    #expect(try pipeline(Self.yaml(text)).evaluation == expected)
  }

  @Test func `the defaults are a cut at 80 %, three lengths and 1000 samples`() throws {
    let settings = try #require(try pipeline(Self.yaml("{}")).evaluation)
    #expect(settings.cut == .share(0.8) && settings.at == [1, 3, 10] && settings.samples == 1000)
    #expect(settings.within == [] && settings.slices == nil && settings.model == nil)
    #expect(settings.laterProfiles == .unknown)
  }

  @Test(arguments: [
    ("{}", false), ("{ cut: 2026-11-01 }", false), ("{ within: area }", true), ("{ leave_last: 1 }", true),
  ])
  func `a cut within users is a cut per group or per user`(text: String, isWithin: Bool) throws {
    #expect(try pipeline(Self.yaml(text)).evaluation?.cutsWithinUsers == isWithin)
  }

  @Test func `slices can name categories of the candidates, and groups with cuts cannot`() throws {
    func yaml(_ evaluation: String) -> String {
      Self.yaml(evaluation).replacing(
        "user: a, candidate: b", with: "user: a, candidate: { from: b, entity: dogs }"
      )
      .replacing(
        "interactions:",
        with:
          "  dogs: { source: { path: d.csv }, id: id, attributes: { breed: { type: category } } }\ninteractions:"
      )
      .replacing("user: a,", with: "user: { from: a, entity: people },")
    }
    #expect(try pipeline(yaml("{ slices: [breed, area] }")).evaluation?.slices == ["breed", "area"])
    let wrong = try #require(mistake(yaml("{ slices: bread }"))).description
    #expect(
      wrong.contains("unknown category attribute 'bread'") && wrong.contains("The nearest name is 'breed'"))
    #expect(try #require(mistake(yaml("{ within: breed }"))).description.contains("of 'people'"))
  }

  @Test(arguments: [
    ("{ cut: 2026 }", "is 2026.0, but must be above 0 and below 1"),
    ("{ cut: soon }", "must be a share of the interactions, such as 0.8"),
    ("{ cut: 2026-11 }", "is '2026-11'"),
    ("{ cut: 2026-13-01 }", "is '2026-13-01'"),
    ("{ cut: 0.5, leave_last: 1 }", "'leave_last' sets a cut for each user"),
    ("{ within: field, leave_last: 1 }", "'leave_last' sets a cut for each user"),
    ("{ within: age }", "unknown category attribute 'age' of 'people'"),
    ("{ within: [field, field] }", "'field' occurs twice in 'evaluation.within'"),
    ("{ slices: [area, area] }", "'area' occurs twice in 'evaluation.slices'"),
    ("{ slices: fields }", "unknown category attribute 'fields' of 'people'"),
    ("{ at: [3, 3] }", "the length 3 occurs twice"), ("{ at: [] }", "contains no length"),
    ("{ at: 3 }", "must be a list"), ("{ later_profiles: never }", "unknown value 'never'"),
    ("{ model: taste }", "unknown model 'taste'"), ("{ sample: 100 }", "unknown key 'sample'"),
  ])
  func `a mistake is reported on its line`(text: String, reason: String) throws {
    let error = try #require(mistake(Self.yaml(text)), "\(text) was accepted")
    #expect(error.reason.contains(reason), "\(error)")
    #expect(error.place.hasPrefix("p.yaml:10:"), "\(error)")
  }

  @Test func `categories of users need one kind of interaction or a model`() throws {
    let visits = "  visits: { source: { path: v.csv }, user: a, candidate: b, at: t, value: v }\n"
    let error = try #require(mistake(Self.yaml("{ within: field }", more: visits)))
    #expect(error.reason.contains("needs a model or exactly one kind of interaction"), "\(error)")
    let model = "model: { learns_from: visits, features: [category: field] }"
    let fitted = try pipeline(Self.yaml("{ within: field }", more: visits + model))
    #expect(fitted.evaluatedInteraction?.name == "visits" && fitted.evaluation?.within == ["field"])
    #expect(fitted.isFitted)
    let plain = try pipeline(Self.yaml("{}", more: visits))
    #expect(plain.evaluatedInteraction == nil && !plain.isFitted)
    #expect(try pipeline(Self.yaml("{}")).evaluatedInteraction?.name == "likes")
  }
}

/// An evaluation can judge only some rankings.
struct JudgeableTests {
  private static let likes = "  likes: { source: { path: l.csv }, user: a, candidate: b, at: t, value: v }\n"
  private static let model = "model: { learns_from: likes, features: [category: field] }\n"
  private static let models = """
    models:
      one: { learns_from: likes, features: [category: field] }
      two: { learns_from: likes, features: [category: field] }
    evaluation: { model: two }

    """

  /// Each ranking is a name and its settings besides the users and the candidates.
  private static func yaml(
    _ rankings: [(name: String, settings: String)], _ models: String = "", interactions: String = likes
  ) -> String {
    let lines = rankings.map { "  \($0.name): { users: people, candidates: people, \($0.settings) }\n" }
    return """
      pipeline: p
      entities:
        people:
          source: { path: p.csv }
          id: id
          created: c
          attributes:
            field: { type: category }
            wanted: { type: tags }
            free: { type: intervals }
            gone: { type: flag }
      \(interactions.isEmpty ? "" : "interactions:\n" + interactions)\(models)rankings:
      \(lines.joined())
      """
  }

  private static let near = (name: "near", settings: "order_by: distance")
  private static let best = (name: "best", settings: "order_by: score")

  @Test(
    arguments: [
      ([near], "", ["near"]), ([near, ("fresh", "order_by: newest")], "", ["near"]),
      ([near, ("find", "order_by: discovery")], "", ["find"]), ([near], model, ["near"]),
      ([near, best], model, ["best"]),
      ([("keys", "order_by: [newest, score]"), near], model, ["near"]),
      ([("some", "order_by: score, for: [gone]"), near], model, ["near"]),
      ([("chosen", "order_by: score, among: likes"), near], model, ["near"]),
      ([("waiting", "order_by: score, pending: likes"), near], model, ["near"]),
      ([("first", "model: one"), ("second", "model: two"), near], models, ["second"]),
      ([("first", "model: one"), near], models, ["first", "near"]),
    ] as [([(name: String, settings: String)], String, [String])])
  func `lists of the evaluated model and of discovery come first`(
    rankings: [(name: String, settings: String)], models: String, expected: [String]
  ) throws {
    let pipeline = try pipeline(Self.yaml(rankings, models))
    let (kind, judged) = try pipeline.judgeable()
    #expect(kind.name == "likes" && judged.map(\.name) == expected)
    #expect(pipeline.obstacleToEvaluation == nil)
  }

  @Test func `the evaluated list has all words and no condition on free time`() throws {
    let settings =
      "order_by: distance, per: field, only: [gone], free_within: 7d, exclude: [self, interacted]"
    let judged = try pipeline(Self.yaml([("near", settings)])).judgeable().rankings
    #expect(judged.map(\.per) == [nil])
    #expect(judged.first?.exclusions == [.unless(.flagged("gone")), .oneself, .interacted])
    let asked = try pipeline(Self.yaml([("near", "order_by: distance, per: wanted, asked: wanted")]))
      .judgeable()
    #expect(asked.rankings.map(\.asked) == [nil] && asked.rankings.map(\.exclusions) == [[]])
  }

  private static let visits =
    "  visits: { source: { path: v.csv }, user: a, candidate: b, at: t, value: v }\n"
  private static let checkIns = """
    check_ins:
      stays:
        source: { path: s.csv }
        id: id
        user: who
        at: at
        position: { latitude: lat, longitude: lon }

    """

  @Test(arguments: [
    (yaml([near], interactions: ""), "the pipeline file has no 'interactions'"),
    (yaml([near], checkIns), "the check-ins 'stays' contain only current positions"),
    (yaml([near], interactions: likes + visits), "several kinds of interactions, and no model selects one"),
    (
      yaml([near]).replacing("value: v", with: "value: { from: v, range: [1, 5] }"),
      "all values of 'likes' are above 0"
    ),
    (yaml([("fresh", "order_by: newest")]), "add a ranking of 'people' for 'people' by score"),
  ])
  func `the reason why nothing can be evaluated is named`(yaml: String, reason: String) throws {
    let pipeline = try pipeline(yaml)
    let error = #expect(throws: NothingToEvaluate.self) { _ = try pipeline.judgeable() }
    #expect(error == pipeline.obstacleToEvaluation)
    #expect(error?.description.hasPrefix("the pipeline has nothing to evaluate: ") == true)
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
  }
}

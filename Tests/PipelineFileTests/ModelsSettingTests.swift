import Testing

@testable import PipelineFile

/// Pipeline files with named models, rankings that use them, and kinds of requests.
@Suite struct ModelsSettingTests {
  private static let yaml = """
    pipeline: p
    entities:
      owners: { source: { path: a.csv, where: { kind: owner } }, id: id, attributes: { tone: { type: category } } }
      minders:
        source: { path: a.csv, where: { kind: [minder, 7] } }
        id: id
        attributes: { born: { type: date }, area: { type: category } }
      dogs:
        source: { path: d.csv }
        id: id
        created: at
        owner: { from: of, entity: owners }
        attributes: { size: { type: category }, free: { type: flag } }
    interactions:
      swipes:
        source: { path: s.csv }
        user: { from: m, entity: minders }
        candidate: { from: d, entity: dogs }
        at: t
        value: v
      answers:
        source: { path: s.csv, where: { status: [yes, no] } }
        user: { from: o, entity: owners }
        candidate: { from: m, entity: minders }
        at: u
        value: w
    requests:
      asks:
        source: { path: s.csv }
        user: { from: m, entity: minders }
        candidate: { from: d, entity: dogs }
        at: t
        status: status
        changed: u
        born: born
    models:
      taste: { learns_from: swipes, features: [{ category: size }], prior: population }
      trust: { learns_from: answers, features: [{ category: area }], compat: createml }
    rankings:
      dogs: { users: minders, candidates: dogs }
      waiting: { users: owners, candidates: minders, pending: asks }
      near: { users: minders, candidates: dogs, order_by: newest }
    evaluation: { model: trust, slices: tone }
    """

  @Test func `a ranking uses the only model that can score it, or none`() throws {
    let pipeline = try pipeline(Self.yaml)
    #expect(pipeline.models.map(\.name) == ["taste", "trust"])
    #expect(pipeline.rankings.map(\.name) == ["dogs", "near", "waiting"])
    #expect(pipeline.rankings.map(\.order) == [.score, .newest, .score])
    #expect(pipeline.rankings.map { pipeline.model(of: $0)?.name } == ["taste", nil, "trust"])
    // People who wait for an answer are listed with any score. The minimum score of `createml` does
    // not apply to them.
    #expect(pipeline.rankings.map(\.minimumScore) == [-.infinity, -.infinity, -.infinity])
    #expect(pipeline.evaluatedModel?.name == "trust")
    #expect(pipeline.evaluatedInteraction?.name == "answers")
    #expect(pipeline.models.map { $0.directory(in: "models") } == ["models/taste", "models/trust"])
    #expect(pipeline.requests[0].minimumAge == 18)
    #expect(pipeline.addressee(of: pipeline.requests[0]) == "owners")
    #expect(pipeline.entity("minders")?.source.conditions == [.init(field: "kind", values: ["minder", "7"])])
  }

  /// A model without a name applies to every ranking that it can score, unless the ranking names
  /// another model.
  @Test func `a model without a name precedes named ones`() throws {
    let pipeline = try pipeline(
      Self.yaml.replacing(
        "models:\n", with: "model: { learns_from: swipes, features: [{ category: size }] }\nmodels:\n"
      )
      .replacing(
        "near: { users: minders, candidates: dogs, order_by: newest }",
        with: "near: { users: minders, candidates: dogs, model: taste }"
      )
      .replacing("evaluation: { model: trust, slices: tone }", with: "evaluation: {}"))
    #expect(pipeline.models.map(\.name) == [nil, "taste", "trust"])
    #expect(pipeline.models.map { $0.directory(in: "models") } == ["models", "models/taste", "models/trust"])
    #expect(pipeline.rankings.map(\.name) == ["dogs", "near", "waiting"])
    #expect(pipeline.rankings.map { pipeline.model(of: $0)?.name } == [nil, "taste", "trust"])
    #expect(pipeline.evaluatedModel == pipeline.model)
  }

  @Test func `audiences and candidates who wait for an answer are read`() throws {
    let pipeline = try pipeline(
      Self.yaml.replacing(
        "near: { users: minders, candidates: dogs, order_by: newest }",
        with: """
          near: { users: minders, for: { area: [north, south] }, candidates: dogs, only: [free, { size: big }] }
            liked: { users: minders, for: [{ area: west }], candidates: owners, pending: answers }
          """))
    let near = try #require(pipeline.rankings.first { $0.name == "near" })
    #expect(near.audience == [.oneOf("area", ["north", "south"])])
    #expect(near.exclusions == [.unless(.flagged("free")), .unless(.oneOf("size", ["big"]))])
    let liked = try #require(pipeline.rankings.first { $0.name == "liked" })
    #expect(liked.audience == [.oneOf("area", ["west"])])
    #expect(liked.pending == .likes("answers") && liked.minimumScore == -.infinity)
  }

  /// No model learns dogs' preferences, because only minders swipe.
  @Test(arguments: [false, true])
  func `a ranking that no model can score is ordered by distance`(hasNamed: Bool) throws {
    let pipeline = try pipeline(
      """
      pipeline: p
      entities:
        minders: { source: { path: a.csv }, id: id, position: { latitude: lat, longitude: lon } }
        dogs: { source: { path: d.csv }, id: id, position: { latitude: lat, longitude: lon } }
      interactions:
        swipes: { source: { path: s.csv }, user: { from: m, entity: minders }, candidate: { from: d, entity: dogs }, at: t, value: v }
      \(hasNamed ? "models:\n  taste:" : "model:") { learns_from: swipes, features: [distance] }
      rankings:
        dogs: { users: minders, candidates: dogs }
        minders: { users: dogs, candidates: minders }
        both: { users: dogs, candidates: minders, order_by: distance }

      """)
    let rankings = ["dogs", "minders", "both"].compactMap { name in
      pipeline.rankings.first { $0.name == name }
    }
    #expect(rankings.map(\.order) == [.score, .distance, .distance])
    #expect(rankings.map { pipeline.model(of: $0)?.learnsFrom } == ["swipes", nil, nil])
  }

  @Test func `the only model of a pipeline is in the stage directory itself`() throws {
    let one = try pipeline(everyKey)
    #expect(one.models.map(\.name) == [nil])
    #expect(one.models[0].directory(in: "models") == "models")
  }

  @Test(arguments: [
    (
      "  trust:", "  taste2: { learns_from: swipes, features: [{ category: size }] }\n  trust:",
      "needs 'model'"
    ),
    (
      "dogs: { users: minders, candidates: dogs }", "dogs: { users: minders, candidates: dogs, model: tast }",
      "unknown model"
    ),
    (
      "dogs: { users: minders, candidates: dogs }",
      "dogs: { users: minders, candidates: dogs, model: trust }", "cannot score"
    ),
    ("order_by: newest }", "order_by: newest, model: taste }", "not ordered by score"),
    ("model: trust, slices", "model: trus, slices", "unknown model"),
    (
      "dogs: { users: minders, candidates: dogs }", "dogs: { users: minders, for: [fre], candidates: dogs }",
      "unknown flag 'fre' of 'minders'"
    ),
    (
      "dogs: { users: minders, candidates: dogs }",
      "dogs: { users: minders, for: { size: small }, candidates: dogs }",
      "unknown category, tags, number or date attribute 'size' of 'minders'"
    ),
    ("pending: asks }", "pending: askings }", "unknown kind of requests or interactions"),
    ("pending: asks }", "pending: asks, among: asks }", "'among' and 'pending' cannot be used together"),
    (
      "users: owners, candidates: minders, pending", "users: minders, candidates: dogs, pending",
      "goes from 'minders' to 'owners'"
    ),
    ("    born: born", "    born: area", "unknown date"),
    ("    born: born", "    minimum_age: 18", "needs 'born'"),
    ("waiting: { users", "waiting: { exclude: [vetoed], users", "needs interactions"),
    ("near: { users", "near: { exclude: [not fre], users", "unknown exclusion or flag"),
    (
      "near: { users: minders, candidates: dogs, order_by: newest }",
      "near: { users: owners, candidates: dogs, order_by: newest, exclude: [friends] }", "needs 'requests'"
    ),
    ("near: { users", "near: { show: [{ age: size }], users", "unknown date"),
    (
      "near: { users: minders, candidates: dogs, order_by: newest }", "near: { catalog: owners, by: tone }",
      "has no 'created'"
    ),
    (
      "near: { users: minders, candidates: dogs, order_by: newest }",
      "near: { catalog: dogs, by: size, exclude: [self] }", "unknown flag"
    ),
    (
      "near: { users: minders, candidates: dogs, order_by: newest }", "near: { friends: ask }",
      "unknown kind of requests"
    ),
  ]) func `a contradiction is reported`(old: String, new: String, reason: String) throws {
    #expect(mistake(Self.yaml) == nil)
    let yaml = Self.yaml.replacing(old, with: new, maxReplacements: 1)
    try #require(yaml != Self.yaml)
    let error = try #require(mistake(yaml))
    #expect(error.reason.contains(reason), "\(error)")
  }
}

import Files
import Readers
import Testing
import Text

@testable import PipelineFile

/// The settings of `publish`.
struct PublicationSettingTests {
  private static func yaml(_ publication: String) -> String {
    """
    pipeline: p
    entities:
      people:
        source: { path: p.csv }
        id: id
        position: { latitude: lat, longitude: lon }
        attributes: { name: { type: text }, field: { type: category } }
      rooms:
        source: { path: r.csv }
        id: id
        position: { latitude: lat, longitude: lon }
        attributes: { open: { type: flag }, hidden: { type: flag } }
      dogs: { source: { path: d.csv }, id: id }
    interactions:
      likes:
        source: { path: l.csv }
        user: { from: a, entity: people }
        candidate: { from: b, entity: people }
        at: t
        value: v
    computed: { people: { likes: { count_of: likes } } }
    publish: \(publication)
    """
  }

  private func publication(_ text: String) throws -> Pipeline.Publication {
    try #require(try pipeline(Self.yaml(text)).publication)
  }

  @Test func `every setting is read`() throws {
    let all = try publication(
      """
      { store: ["sqlite:a", "redis://h:1/0"], keep: 5, attributes: { people: [name, likes], rooms: [] },
          guards: { users_drop_at_most: 20 %, lists_empty_at_most: 0.1, auc_at_least: 0.6, ndcg_drop_at_most: 5 %,
          not_worse_than: popular }, positions: [rooms, people] }
      """)
    #expect(all.stores == ["sqlite:a", "redis://h:1/0"] && all.keep == 5)
    #expect(all.attributes == ["people": ["name", "likes"], "rooms": []])
    #expect(all.usersDropAtMost == 0.2 && all.listsEmptyAtMost == 0.1)
    #expect(
      all.quality == Pipeline.QualityLimits(aucAtLeast: 0.6, ndcgDropAtMost: 0.05, notWorseThan: .popular))
    #expect(all.positions == [.init(entity: "people"), .init(entity: "rooms")])
  }

  @Test func `without a setting there is no limit, and three generations are kept`() throws {
    let small = try publication("{ store: \"sqlite:a\" }")
    #expect(small == Pipeline.Publication(stores: ["sqlite:a"]) && small.keep == 3)
    #expect(small.usersDropAtMost == nil && small.listsEmptyAtMost == nil && small.quality.stated == [])
    #expect(small.attributes == [:] && small.positions == [])
  }

  @Test func `positions can leave out rows with a flag`() throws {
    let text = "{ store: \"sqlite:a\", positions: { rooms: { exclude: [not open, hidden] }, people: {} } }"
    #expect(
      try publication(text).positions == [
        .init(entity: "people"),
        .init(entity: "rooms", exclusions: [.notFlagged("open"), .flagged("hidden")]),
      ])
  }

  @Test(
    arguments: [
      (.init(), []), (.init(aucAtLeast: 0.5), ["auc_at_least"]),
      (.init(ndcgDropAtMost: 0), ["ndcg_drop_at_most"]), (.init(notWorseThan: .random), ["not_worse_than"]),
      (
        .init(aucAtLeast: 1, ndcgDropAtMost: 1, notWorseThan: .oneSided),
        ["auc_at_least", "ndcg_drop_at_most", "not_worse_than"]
      ),
    ] as [(Pipeline.QualityLimits, [String])])
  func `the stated limits are listed`(limits: Pipeline.QualityLimits, stated: [String]) {
    #expect(limits.stated == stated)
  }

  @Test(arguments: [
    ("store: []", "names no store"), ("keep: 2", "needs 'store'"),
    ("store: \"s\", attributes: { cats: [name] }", "unknown entity 'cats'"),
    ("store: \"s\", attributes: { people: [nam] }", "unknown attribute 'nam' of 'people'"),
    ("store: \"s\", attributes: [people]", "must be a mapping"),
    ("store: \"s\", positions: [dogs]", "the entity 'dogs' has no positions to publish"),
    ("store: \"s\", positions: { dogs: {} }", "the entity 'dogs' has no positions to publish"),
    ("store: \"s\", positions: [cats]", "unknown entity 'cats'"),
    ("store: \"s\", positions: { cats: {} }", "unknown entity 'cats'"),
    ("store: \"s\", positions: { rooms: { exclude: [shut] } }", "unknown flag 'shut' of 'rooms'"),
    ("store: \"s\", guards: { users_drop_at_most: 101 % }", "must be a share from 0 to 1"),
    ("store: \"s\", guards: { lists_empty_at_most: -1 }", "must be a share from 0 to 1"),
    ("store: \"s\", guards: { ndcg_drop_at_most: 2 }", "must be a share from 0 to 1"),
    ("store: \"s\", guards: { auc_at_least: 0 }", "is 0.0, but must be above 0.0 and at most 1.0"),
    ("store: \"s\", guards: { auc_at_least: 1.1 }", "is 1.1, but must be above 0.0 and at most 1.0"),
    ("store: \"s\", guards: { not_worse_than: luck }", "unknown value 'luck'"),
    ("store: \"s\", guards: { aucs: 1 }", "unknown key 'aucs'"),
  ])
  func `a mistake is reported on its line`(settings: String, reason: String) throws {
    let error = try #require(mistake(Self.yaml("{ \(settings) }")), "\(settings) was accepted")
    #expect(error.reason.contains(reason), "\(error)")
    #expect(error.place.hasPrefix("p.yaml:22:"), "\(error)")
  }
}

/// Limits and times of sources, the files of reports, and the directory of erasures.
struct SourceLimitTests {
  /// The own limits are beside the source named `own`.
  private static func yaml(_ own: String, _ general: String = "") -> String {
    let limits =
      "reject_limit: 2 %, dangling_limit: 3 %, dangling_rise: 4 %, later_limit: 5 %, plausible: [2010, 2011]"
    func settings(_ name: String, _ rest: String) -> String {
      "  \(name): { source: { path: \(name).csv }, \(rest)\(name == own ? ", " + limits : "") }\n"
    }
    return """
      pipeline: p
      \(general)
      entities:
      \(settings("people", "id: id, created: c, updated: u"))
      check_ins:
      \(settings("visits", "id: id, user: who, at: t, position: { latitude: lat, longitude: lon }"))
      interactions:
      \(settings("likes", "user: a, candidate: b, at: t, value: v"))
      requests:
      \(settings("asks", "user: a, candidate: b, at: t, status: s, changed: c"))
      """
  }

  private static let year2010: Int64 = 1_262_304_000_000
  private static let last2011: Int64 = 1_325_375_999_999

  /// Returns the plausible times of all time fields, by source.
  private func times(_ pipeline: Pipeline) throws -> [String: Set<ClosedRange<Int64>>] {
    let people = pipeline.entities[0]
    let (created, updated) = (try #require(people.created), try #require(people.updated))
    let (visits, asks) = (try #require(pipeline.checkIns.first), pipeline.requests[0])
    return [
      "people": [created.plausible, updated.plausible], "visits": [visits.at.plausible],
      "likes": [pipeline.interactions[0].at.plausible], "asks": [asks.at.plausible, asks.changed.plausible],
    ]
  }

  @Test(arguments: ["people", "visits", "likes", "asks"])
  func `a source has its own limits, and the others have the general ones`(own: String) throws {
    let pipeline = try pipeline(Self.yaml(own))
    #expect(pipeline.sourceNames == ["people", "visits", "likes", "asks"])
    for (name, source) in pipeline.sources {
      let limits = pipeline.rowLimits(of: source)
      let expected =
        name == own
        ? Pipeline.RowLimits(rejected: 0.02, dangling: 0.03, danglingRise: 0.04)
        : Pipeline.RowLimits(rejected: 0.01, dangling: 0.5, danglingRise: 0.1)
      #expect(limits == expected, "\(name)")
      #expect(pipeline.laterLimit(of: source) == (name == own ? 0.05 : 0.01))
    }
    let ownTimes = Self.year2010...Self.last2011
    for (name, found) in try times(pipeline) {
      #expect(found == [name == own ? ownTimes : Pipeline.usuallyPlausible], "\(name)")
    }
  }

  @Test func `the general limits apply to every source`() throws {
    let general = """
      reject_limit: 6 %
      dangling_limit: 7 %
      dangling_rise: 8 %
      later_limit: 9 %
      plausible: [2010, 2011]
      privacy: { erasures: kept/apart }
      """
    let pipeline = try pipeline(Self.yaml("", general))
    let expected = Pipeline.RowLimits(rejected: 0.06, dangling: 0.07, danglingRise: 0.08)
    for (name, source) in pipeline.sources {
      #expect(
        pipeline.rowLimits(of: source) == expected && pipeline.laterLimit(of: source) == 0.09, "\(name)")
    }
    for (_, found) in try times(pipeline) { #expect(found == [Self.year2010...Self.last2011]) }
    #expect(pipeline.privacy == Pipeline.Privacy(snapPrecision: 6, isDefault: true, erasures: "kept/apart"))
  }

  /// The start of a day in milliseconds since 1970.
  private static func day(_ text: String) -> Int64? { parseInstant(Array(text.utf8).span) }

  @Test(arguments: [("[5, 20]", "0005-01-01", "0020-12-31"), ("[987, 9999]", "0987-01-01", "9999-12-31")])
  func `a year below 1000 is padded to four digits`(text: String, first: String, last: String) throws {
    let pipeline = try pipeline(Self.yaml("", "plausible: \(text)"))
    let start = try #require(Self.day(first))
    let end = try #require(Self.day(last))
    #expect(pipeline.plausible == start...end + 86_399_999)
  }

  @Test(
    arguments: [
      ("clock", .clock, false), ("newest", .newest, false),
      ("1970-01-01T00:00:01Z", .moment(Instant(milliseconds: 1000)), true), ("now", nil, false),
      ("", nil, false),
    ] as [(String, Pipeline.AsOf?, Bool)])
  func `an as-of time is a rule or a moment`(text: String, expected: Pipeline.AsOf?, isGiven: Bool) throws {
    #expect(Pipeline.AsOf(text) == expected)
    if expected != nil {
      #expect(try pipeline(Self.yaml("", "as_of: \(text)")).hasGivenAsOf == isGiven)
    }
  }

  @Test(
    arguments: [
      ("{}", nil), ("{ mode: 0664 }", FileAccess(mode: 0o664, group: nil)),
      ("{ group: root }", FileAccess(mode: 0o640, group: 0)),
      ("{ mode: 0o600, group: \"7\" }", FileAccess(mode: 0o600, group: 7)),
    ] as [(String, FileAccess?)])
  func `reports have the permissions that are set`(text: String, access: FileAccess?) throws {
    #expect(try pipeline(Self.yaml("", "report: \(text)")).reportAccess() == access)
  }

  @Test func `an unknown group is named`() throws {
    let pipeline = try pipeline(Self.yaml("", "report: { group: no-such-group }"))
    let error = #expect(throws: UnknownGroup.self) { _ = try pipeline.reportAccess() }
    #expect(error?.name == "no-such-group")
    #expect(error?.description.hasPrefix("'report.group' is 'no-such-group', but") == true)
  }

  @Test(arguments: [("incomplete: allowed", true), ("incomplete: refused", false)])
  func `a source may be incomplete`(option: String, isAllowed: Bool) throws {
    let yaml = Self.yaml("").replacing("path: likes.csv", with: "path: likes.csv, \(option)")
    let pipeline = try pipeline(yaml)
    #expect(pipeline.interactions[0].source.allowsIncomplete == isAllowed)
    #expect(!pipeline.entities[0].source.allowsIncomplete)
  }

  @Test(arguments: [
    ("path: [a.csv, b.csv]", "path: [a.csv, b.csv], where: { x: y }", true),
    ("path: [a.csv, b.csv]", "path: [b.csv, a.csv]", false),
    ("path: a.csv", "path: a.csv, format: tsv", false),
    ("path: a.csv", "path: a.csv, missing: [x]", false), ("path: a.csv", "path: b.csv", false),
  ])
  func `two sources read the same export if their files and options are equal`(
    one: String, other: String, isSame: Bool
  ) throws {
    let yaml =
      "pipeline: p\nentities: { a: { source: { \(one) }, id: id }, b: { source: { \(other) }, id: id } }\n"
    let entities = try pipeline(yaml).entities
    #expect(entities[0].source.isSameExport(as: entities[1].source) == isSame)
    #expect(entities[1].source.isSameExport(as: entities[0].source) == isSame)
  }

  @Test func `messages name the files of a source`() throws {
    let query = "source: { format: duckdb, query: SELECT 1 AS id }"
    let yaml =
      "pipeline: p\nentities: { a: { source: { path: [a.csv, b.csv] }, id: id }, b: { \(query), id: id } }\n"
    #expect(try pipeline(yaml).entities.map(\.source.label) == ["a.csv, b.csv", "a query"])
  }
}

import Columns
import Files
import PipelineFile
import RunSchemas
import SnapshotEditing
import StageFixture
import Testing
import TestSupport
import Text

@testable import Evaluation

/// Rebuilds the state as of the cut. Events up to the cut's millisecond are included, and later
/// events are not.
@Suite struct PastTests {
  /// Likes, views and requests around a cut at one second. `aa` is the first row but is created
  /// after the cut.
  static func fixture(swipes: [String], model: String = "prior: everybody") throws -> StageFixture {
    let fixture = try StageFixture(
      yaml: """
        pipeline: past
        as_of: newest
        plausible: [1, 9999]
        entities:
          people:
            source: { path: people.csv }
            id: id
            created: created
            attributes: { field: { type: category } }
        interactions:
          swipes:
            source: { path: swipes.csv }
            user: who
            candidate: whom
            at: at
            value: { from: way, map: { r: 1, l: -1 } }
          views:
            source: { path: views.csv }
            user: who
            candidate: whom
            at: at
            value: { from: way, map: { r: 1, l: -1 } }
        requests:
          asks:
            source: { path: asks.csv }
            user: { from: who, entity: people }
            candidate: { from: whom, entity: people }
            at: at
            status: s
            changed: changed
        model: { learns_from: swipes, features: [category: field], \(model) }
        rankings:
          near: { users: people, candidates: people, exclude: [self, interacted], top: 3 }
        evaluation: { cut: "1970-01-01T00:00:01Z", at: [3], samples: 100 }
        """,
      files: [
        "people.csv": "id,created,field\naa,1001,x\na,1,x\nb,1,x\nc,1,y\nd,1,y\nedge,1000,x\n",
        "swipes.csv": "who,whom,at,way\n" + swipes.map { $0 + "\n" }.joined(),
        "views.csv": "who,whom,at,way\na,b,1000,r\na,c,1001,r\n",
        "asks.csv":
          "who,whom,at,s,changed\na,b,1000,accepted,1000\na,c,1000,accepted,1001\na,d,1001,pending,\n",
      ])
    try fixture.runStages()
    return fixture
  }

  static func past(_ fixture: StageFixture) throws -> Past {
    let pipeline = fixture.pipeline
    let snapshot = try Snapshot(
      fixture.run + "/snapshot", entities: pipeline.entities.map(\.schema),
      interactions: pipeline.interactions.map(\.schema), requests: pipeline.requests.map(\.schema),
      holdsEnded: true)
    return try Past(
      pipeline, try #require(pipeline.evaluatedInteraction), snapshot, try #require(pipeline.evaluation),
      in: fixture.run + "/.past", tool: "test")
  }

  @Test func `only interactions and people up to the cut's millisecond are included`() throws {
    let past = try Self.past(Self.fixture(swipes: ["a,b,999,r", "a,c,1000,l", "b,c,1001,r"]))
    #expect(past.snapshot.entities["people"]?.ids.strings == ["a", "b", "c", "d", "edge"])
    #expect(past.snapshot.interactions["swipes"]?.count == 2 && past.learned == 2)
    #expect(past.snapshot.interactions["views"]?.count == 1)
    #expect(past.split.asOf == Instant(milliseconds: 1000))
    #expect(past.json["entities"]?["people"]?["as_of_cut"] == 5)
    #expect(past.json["test"] == 1 && past.json["learning"] == 2 && past.json["learning_left_out"] == 0)
    #expect(past.json["entities"]?["people"]?["created_later"] == 1)
  }

  @Test func `a request answered after the cut is pending at the cut`() throws {
    let past = try Self.past(Self.fixture(swipes: ["a,b,999,r", "b,c,1001,r"]))
    let asks = try #require(past.snapshot.requests["asks"])
    // One request was made one millisecond after the cut, so it is not included.
    #expect(asks.count == 2)
    let status = (0..<asks.count).map { asks.status[$0] }
    #expect(status == [RequestStatus.accepted.code, RequestStatus.pending.code])
    #expect((0..<asks.count).map { asks.changed[$0] } == [1000, .min])
  }

  /// `a` and `b` match before the cut. After the cut, `c` answers `a`, and `d` and `b` like each other.
  /// `aa` is created after the cut, so matches with `aa` do not count.
  @Test func `later matches are new matches between people who existed at the cut`() throws {
    let fixture = try Self.fixture(swipes: [
      "a,b,1,r", "b,a,2,r", "a,c,3,r", "c,a,1001,r", "b,d,1002,r", "d,b,1003,r", "a,aa,1004,r",
      "aa,a,1005,r", "c,d,1006,r", "d,c,1007,l", "a,b,1008,r",
    ])
    let past = try Self.past(fixture)
    let world = past.world(for: fixture.pipeline.rankings[0])
    // These are row numbers of the cut snapshot, in which `a` is the first row.
    #expect(world.laterMatches?.pairs == [[0, 2], [1, 3]])
    #expect(world.cutOfUser == [1000, 1000, 1000, 1000, 1000])
    let counts = world.decisions.counts
    #expect(counts.ofLaterUsers == 1 && counts.withLaterCandidates == 1 && counts.decidedBefore == 1)
    #expect(counts.likes == 4 && counts.passes == 1)
  }

  /// `a` and `b` match before the cut and like each other again after it. The ranking shows candidates again,
  /// so these are later decisions.
  @Test func `decisions of pairs that matched before the cut have no label`() throws {
    let fixture = try Self.fixture(swipes: [
      "a,b,1,r", "b,a,2,r", "a,c,3,r", "c,a,1001,r", "b,d,1002,r", "d,b,1003,r", "a,aa,1004,r",
      "aa,a,1005,r", "c,d,1006,r", "d,c,1007,l", "a,b,1008,r", "b,a,1009,r", "edge,a,1010,r",
    ])
    var ranking = fixture.pipeline.rankings[0]
    ranking.exclusions = [.oneself]
    let world = try Self.past(fixture).world(for: ranking)
    // The users of these decisions are `a`, `b` (twice), `c` (twice), `d` (twice) and `edge`.
    #expect(world.decisions.offsets == [0, 1, 3, 5, 7, 8])
    #expect(world.decisions.candidates == [1, 0, 3, 0, 3, 1, 2, 0])
    #expect(world.laterMatches?.isMatch == [nil, nil, true, true, false, true, false, nil])
    #expect(world.laterMatches?.pairs == [[0, 2], [1, 3]])
  }

  @Test(arguments: [
    ("prior: everybody", "everybody", "createml"), ("compat: createml", "createml", "everybody"),
  ])
  func `a model is not compared with itself`(model: String, own: String, other: String) throws {
    let fixture = try Self.fixture(
      swipes: ["a,b,1,r", "a,c,2,l", "b,c,3,l", "b,a,4,r", "c,d,5,r", "d,a,6,l", "a,d,1001,r", "b,d,1002,l"],
      model: model)
    let near = try fixture.evaluate().metrics["rankings"]?["near"]
    // `a` and `b` decide later, and neither decision becomes a match.
    #expect(
      near?["methods"]?["pipeline"]?["ordering"] != nil && near?["methods"]?["pipeline"]?["matching"] == nil)
    #expect(
      near?["differences"]?["random"]?["auc"] != nil && near?["differences"]?["random"]?["match_auc"] == nil)
    let tested = Set(near?["tests"]?.elements.compactMap { $0["method"]?.stringValue } ?? [])
    #expect(tested.contains(other) && !tested.contains(own), "\(tested)")
  }

  @Test func `the cut snapshot leaks nothing`() throws {
    let past = try Self.past(Self.fixture(swipes: ["a,b,999,r", "b,c,1001,r"]))
    // The source of the people does not record the times of changes.
    #expect(past.pipeline.entitiesWithoutHistory == ["people"])
    #expect(past.json["leaks"] == .array(["profiles_without_updated"]))
  }
}

/// The cut that applies to each entity.
@Suite struct CutAsOfTests {
  private static func split(_ setting: String, _ swipes: [String]) throws -> TimeSplit {
    let people = ["p0,1,1,50,8,Cork,Art,", "p1,1,1,50,8,Galway,Art,", "p2,1,1,50,8,Sligo,Art,"]
    return try SmallWorld.split(
      SmallWorld.fixture(people: people, swipes: swipes, evaluation: setting))
  }

  @Test func `the cut snapshot's as-of time is the latest cut of any group`() throws {
    let swipes = ["p0,p1,10,r", "p0,p2,20,r", "p1,p0,100,r", "p1,p2,200,r"]
    let split = try Self.split("{ cut: 0.5, within: city }", swipes)
    #expect(split.groups.map(\.cut) == [10, 100, nil] && split.asOf == Instant(milliseconds: 100))
    #expect(split.cut(ofEntity: "users", row: 2) == 10 && split.cut(ofEntity: "users", row: 1) == 100)
  }

  @Test func `if no group can be cut, the cut is before the first interaction`() throws {
    let split = try Self.split("{ cut: 0.4 }", ["p0,p1,10,r", "p0,p2,20,r"])
    #expect(split.groups.map(\.cut) == [nil] && split.asOf == Instant(milliseconds: 9))
    #expect(split.cut(ofEntity: "users", row: 0) == 9 && split.cut(ofEntity: "dogs", row: 0) == 9)
    #expect(split.isTest == [true, true])
  }

  @Test func `a cut after all interactions has the time of the last interaction as its as-of time`() throws {
    let split = try Self.split("{ cut: '1970-01-01T00:00:05Z' }", ["p0,p1,10,r", "p0,p2,20,r"])
    #expect(split.asOf == Instant(milliseconds: 20) && split.groups[0].cut == 5000)
    #expect(split.isTest == [false, false])
  }

  @Test func `leave-last tests each user's last interactions, whenever they happened`() throws {
    let split = try Self.split(
      "{ leave_last: 1 }", ["p0,p1,10,r", "p0,p2,20,r", "p1,p0,5,r"])
    #expect(split.isTest == [false, true, true] && split.asOf == Instant(milliseconds: 20))
    #expect(split.groups == [TimeSplit.Group(name: "", cut: 20, learning: 1, test: 2)])
  }
}

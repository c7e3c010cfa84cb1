import Columns
import Concurrency
import Files
import Ingest
import IngestFixture
import PipelineFile
import RunSchemas
import Testing
import TestSupport
import Text

@testable import SnapshotEditing

extension Night {
  /// Cuts the snapshot into `run` at one time, or at the time that `entityCut` returns for each
  /// row.
  func cut(
    at time: Int64, into run: String = "cut", laterProfiles: Pipeline.LaterProfiles = .unknown,
    entityCut: ((String, Int) -> Int64)? = nil, keeps: ((String, Int) -> Bool)? = nil
  ) throws -> (cut: CutSnapshot, snapshot: Snapshot) {
    let snapshot = try snapshot()
    let cut = try SnapshotCut.write(
      snapshot, pipeline: pipeline, entityCut: entityCut ?? { _, _ in time },
      keepsInteraction: keeps ?? { snapshot.interactions[$0].map { $0.at }?[$1] ?? .max <= time },
      asOf: Instant(milliseconds: time), into: scratch(run), tool: "test", laterProfiles: laterProfiles)
    let opened = try Snapshot(
      scratch(run + "/snapshot"), entities: pipeline.entities.map(\.schema),
      interactions: pipeline.interactions.map(\.schema))
    return (cut, opened)
  }
}

extension EntityTable {
  /// All values of `row` except its id, in a fixed order.
  fileprivate func values(_ row: Int) -> [String] {
    let field = categories["field"]
    let word = field.flatMap {
      $0.codes[row] == CategoryColumn.missing ? nil : $0.vocabulary.string(Int($0.codes[row]))
    }
    let values: [Any?] = [
      word, numbers["age"]?[row], flags["gone"]?[row], texts["bio"]?.string(row), tags["words"]?.strings(row),
      dates["born"]?[row], intervals["free"]?.intervals(row), latitude?[row], longitude?[row], updated?[row],
    ]
    return values.map { $0.map { "\($0)" } ?? "none" }
  }
}

@Suite struct SnapshotCutTests {
  /// People with attributes of every type.
  private static let yaml = Night.yaml().replacing(
    "bio: { type: text }",
    with: """
      bio: { type: text }
            words: { type: tags, separator: ; }
            born: { type: date }
            free: { type: intervals, from: slots }
      """)

  private func night(_ people: String, _ likes: String, asOf: Int64) throws -> Night {
    let header = Night.peopleHeader.replacing("bio", with: "bio,words,born,slots")
    return try Night(
      Self.yaml, ["people.csv": header + people, "likes.csv": Night.likesHeader + likes],
      asOf: Instant(milliseconds: asOf))
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `a cut with exported profiles has the bytes of an ingest as of that time`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func pick(_ values: [String]) -> String { values.randomElement(using: &random) ?? "" }
    let ids = ["a", "b", "c", "d", "e", "f", "g", "A", "é"]
    var people = (0..<40).map { _ in
      [
        pick(ids), pick(["", "", "10", "20", "60"]), pick(["", "5", "20", "30", "40", "70"]),
        pick(["1,1", "2,2", "3,3", ","]), pick(["", "arts", "law", "zoo", "é"]), pick(["", "1", "2"]),
        pick(["", "true"]), pick(["", "one", "another"]), pick(["", "chess", "zoo;chess", "é;zoo;walks"]),
        pick(["", "1990-01-01", "2000-02-29"]), pick(["", "1/5", "7/9;1/3"]),
      ].joined(separator: ",") + "\n"
    }
    people += ids.map { $0 + ",,,,,,,,,,,\n" }
    people.append("late,,50,1,1,arts,1,true,one,chess,1990-01-01,1/5\n")
    let likes = (0..<80).map { _ in
      let pair = ids.shuffled(using: &random)
      return "\(pair[0]),\(pair[1]),\(Int.random(in: 1...60, using: &random)),\(pick(["yes", "no"]))\n"
    }
    let latest = try night(people.joined(), likes.joined(), asOf: 100)
    let table = try #require(try latest.snapshot().entities["people"])
    var unknown = 0
    for time in [0, 15, 35, 60] as [Int64] {
      let run = "cut-\(time)"
      let cut = try latest.cut(at: time, into: run, laterProfiles: .asExported)
      let then = try night(people.joined(), likes.joined(), asOf: time)
      let expected = try then.columns("run")
      #expect(try latest.columns(run) == expected, "as of \(time)")
      #expect(expected.count > 15)
      #expect(cut.cut.manifest.asOf == then.manifest.asOf)

      // Without the exported profiles, a person whose profiles are all later has no profile.
      let without = try latest.cut(at: time, into: run + "-unknown")
      let (kept, all) = (
        try #require(without.snapshot.entities["people"]), try #require(cut.snapshot.entities["people"])
      )
      #expect(without.cut.rows == cut.cut.rows && kept.count == all.count)
      for (row, new) in (cut.cut.rows["people"] ?? []).enumerated() where new != CutSnapshot.noRow {
        let isUnknown = table.version(of: row, at: time) == .unknown
        let none = ["none", "nan", "0", "", "[]", "\(Int64.min)", "[]", "nan", "nan", "\(Int64.min)"]
        #expect(kept.values(Int(new)) == (isUnknown ? none : all.values(Int(new))), "\(row) as of \(time)")
        unknown += isUnknown ? 1 : 0
      }
    }
    #expect(unknown > 0)
  }

  @Test func `entities that changed later have no profile, and entities created later are absent`() throws {
    let night = try Night(
      people: """
        a,1,10,1,1,arts,30,true,hello
        b,1,60,2,2,zoo,31,true,moved
        c,60,60,3,3,law,32,,new
        d,,,4,4,bio,33,,always

        """, likes: "a,b,5,yes\na,c,7,yes\nb,a,8,no\nd,a,9,yes\nd,a,55,no\n", asOf: Instant(milliseconds: 100)
    )
    let (cut, snapshot) = try night.cut(at: 50)
    let people = try #require(snapshot.entities["people"])
    #expect(people.ids.strings == ["a", "b", "d"])
    #expect(cut.rows == ["people": [0, 1, CutSnapshot.noRow, 2]])
    #expect(cut.entities["people"] == CutSnapshot.Counts(kept: 3, notYet: 1, earlier: 0, unknown: 1))
    let missing = CategoryColumn.missing
    #expect(people.categories["field"]?.codes.elements == [0, missing, 1])
    #expect(people.categories["field"]?.vocabulary.strings == ["arts", "bio"])
    #expect(people.latitude.map { $0.elements.map(\.isNaN) } == [false, true, false])
    #expect(people.longitude.map { $0.elements.map(\.isNaN) } == [false, true, false])
    #expect(people.numbers["age"].map { $0.elements.map(\.isNaN) } == [false, true, false])
    #expect(people.flags["gone"]?.elements == [1, 0, 0])
    #expect(people.texts["bio"]?.strings == ["hello", "", "always"])
    #expect(people.created?.elements == [1, 1, .min])
    #expect(people.updated?.elements == [10, .min, .min])
    let likes = try #require(snapshot.interactions["likes"])
    #expect(likes.user.elements == [0, 1, 2])
    #expect(likes.candidate.elements == [1, 0, 0])
    #expect(likes.at.elements == [5, 8, 9])
    #expect(likes.value.elements == [1, -1, 1])
    #expect(likes.userOffsets.elements == [0, 1, 2, 3])
    #expect(likes.byCandidate.elements == [1, 2, 0])
    #expect(likes.candidateOffsets.elements == [0, 2, 3, 3])
    #expect(
      cut.interactions["likes"] == SubsetCounts(kept: 3, leftOut: 1, withoutEntity: 1))
  }

  @Test func `an earlier version replaces a later one`() throws {
    let night = try Night(
      people: """
        a,1,5,1,1,law,29,true,oldest
        a,1,10,1,1,arts,30,true,old
        a,1,60,2,2,zoo,31,,moved
        b,1,20,3,3,zoo,32,,stays
        b,1,15,4,4,law,33,,before
        c,1,70,5,5,law,34,,later
        d,1,20,,,,,,nothing
        d,1,60,6,6,bio,35,true,something

        """, asOf: Instant(milliseconds: 100))
    let (cut, snapshot) = try night.cut(at: 50)
    let people = try #require(snapshot.entities["people"])
    #expect(cut.entities["people"] == CutSnapshot.Counts(kept: 4, notYet: 0, earlier: 2, unknown: 1))
    #expect(people.texts["bio"]?.strings == ["old", "stays", "", "nothing"])
    let missing = CategoryColumn.missing
    #expect(people.categories["field"]?.codes.elements == [0, 1, missing, missing])
    #expect(people.categories["field"]?.vocabulary.strings == ["arts", "zoo"])
    #expect(people.flags["gone"]?.elements == [1, 0, 0, 0])
    #expect(people.numbers["age"]?[0] == 30)
    #expect(people.numbers["age"].map { $0.elements.map(\.isNaN) } == [false, false, true, true])
    #expect(people.latitude?[0] ?? 9 < 1.5)
    #expect(people.updated?.elements == [10, 20, .min, 20])
    #expect(people.created?.elements == [1, 1, 1, 1])
    // The versions before the cut's versions stay, because discovery compares settings as of an earlier time.
    let earlier = try #require(people.earlier)
    #expect(earlier.row.elements == [0, 1] && earlier.updated.elements == [5, 15])
    #expect(earlier.attributes.texts["bio"]?.strings == ["oldest", "before"])
    #expect(earlier.attributes.categories["field"]?.vocabulary.strings == ["law"])
    #expect(people.version(of: 0, at: 9) == .earlier(0) && people.version(of: 0, at: 10) == .current)
  }

  @Test func `each row has its own cut`() throws {
    let night = try Night(
      people: "a,10,,,,,,,\nb,10,,,,,,,\nc,10,,,,,,,\n", likes: "a,b,20,yes\nb,c,20,yes\nc,a,20,yes\n")
    var asked: [Int] = []
    let (cut, snapshot) = try night.cut(
      at: 50,
      entityCut: { entity, row in
        #expect(entity == "people")
        asked.append(row)
        return row == 1 ? 9 : 10
      }, keeps: { _, index in index != 2 })
    #expect(asked == [0, 1, 2])
    #expect(snapshot.entities["people"]?.ids.strings == ["a", "c"])
    #expect(snapshot.interactions["likes"]?.count == 0)
    #expect(
      cut.interactions["likes"] == SubsetCounts(kept: 0, leftOut: 1, withoutEntity: 2))
  }

  @Test func `users and candidates of two entities are cut, even if one becomes empty`() throws {
    let night = try Night(
      """
      pipeline: p
      as_of: newest
      plausible: [1, 9999]
      entities:
        people: { source: { path: people.csv }, id: id }
        events: { source: { path: events.csv }, id: id, created: made }
      interactions:
        visits:
          source: { path: visits.csv }
          user: { from: who, entity: people }
          candidate: { from: where, entity: events }
          at: t
          value: v
      """,
      [
        "people.csv": "id\na\nb\n", "events.csv": "id,made\nx,10\ny,20\nz,30\n",
        "visits.csv": "who,where,t,v\na,z,31,1\na,x,32,2\nb,y,33,3\nb,x,34,4\n",
      ])
    let all = { (_: String, _: Int) in true }
    let some = try night.cut(at: 20, into: "some", keeps: all).snapshot
    #expect(some.entities["events"]?.ids.strings == ["x", "y"])
    let visits = try #require(some.interactions["visits"])
    #expect(visits.user.elements == [0, 1, 1])
    #expect(visits.candidate.elements == [0, 1, 0])
    #expect(visits.value.elements == [2, 3, 4])
    #expect(visits.range(ofCandidate: 0).map { visits.byCandidate[$0] } == [0, 2])

    let (cut, none) = try night.cut(at: 9, into: "none", keeps: all)
    #expect(none.entities["people"]?.ids.strings == ["a", "b"])
    #expect(none.entities["events"]?.count == 0)
    #expect(cut.rows["events"] == [UInt32](repeating: CutSnapshot.noRow, count: 3))
    #expect(none.interactions["visits"]?.count == 0)
    #expect(none.interactions["visits"]?.userOffsets.elements == [0, 0, 0])
    #expect(none.interactions["visits"]?.candidateOffsets.elements == [0])
  }

  @Test func `later stages accept the cut as a snapshot, and its manifest names the source`() throws {
    let night = try Night(people: "a,,,,,,,,\nb,,9,,,,,,\n", likes: "a,b,1,yes\n")
    let cut = try night.cut(at: 5).cut
    #expect(cut.manifest.parents == ["snapshot": night.manifest.digest])
    #expect(cut.manifest.asOf == Instant(milliseconds: 5))
    #expect(cut.manifest.counts["later_profiles"] == "unknown")
    #expect(
      cut.manifest.counts["sources"]?["people"] == ["kept": 2, "not_yet": 0, "earlier": 0, "unknown": 1])
    #expect(
      cut.manifest.counts["sources"]?["likes"] == ["kept": 1, "left_out": 0, "without_entity": 0])
    #expect(cut.manifest.counts["snapped_to_precision"] == 12)
    #expect(cut.manifest.pipeline == "p" && cut.manifest.stage == "snapshot" && cut.manifest.tool == "test")
    #expect(cut.manifest.seed == night.pipeline.seed)
    #expect(cut.manifest.configuration == night.pipeline.configuration)
    let exported = try night.cut(at: 5, into: "exported", laterProfiles: .asExported).cut
    #expect(exported.manifest.counts["later_profiles"] == "as_exported")
    #expect(try Manifest.parents(["snapshot"], in: night.scratch("cut")) == ["snapshot": cut.manifest.digest])
    #expect(throws: FileError.self) { _ = try night.cut(at: 5) }
    #expect(try night.cut(at: 5, into: "again").cut.manifest.json == cut.manifest.json)
  }

  @Test func `versions after the cut are not earlier versions of a row`() throws {
    let night = try Night(
      people:
        "c,1,70,5,5,law,34,,later\nc,1,80,6,6,law,35,,latest\nd,1,10,7,7,law,36,,old\nd,1,70,8,8,law,37,,new\n",
      asOf: Instant(milliseconds: 100))
    let (cut, snapshot) = try night.cut(at: 50)
    #expect(cut.entities["people"] == CutSnapshot.Counts(kept: 2, notYet: 0, earlier: 1, unknown: 1))
    let people = try #require(snapshot.entities["people"])
    #expect(people.texts["bio"]?.strings == ["", "old"] && people.earlier?.count == nil)
    #expect(try #require(people.longitude?[1]).rounded() == 7)
  }

  @Test func `an entity whose owner does not exist at the cut has no owner`() throws {
    let night = try Night(
      """
      pipeline: p
      as_of: newest
      plausible: [1, 9999]
      entities:
        owners: { source: { path: owners.csv }, id: id, created: at }
        dogs: { source: { path: dogs.csv }, id: id, owner: { from: of, entity: owners } }
      """,
      ["owners.csv": "id,at\nw,60\nx,1\n", "dogs.csv": "id,of\nd,x\ne,w\n"],
      asOf: Instant(milliseconds: 100))
    let (cut, snapshot) = try night.cut(at: 50)
    #expect(snapshot.entities["owners"]?.ids.strings == ["x"])
    #expect(cut.rows == ["owners": [CutSnapshot.noRow, 0], "dogs": [0, 1]])
    #expect(snapshot.entities["dogs"]?.owner?.elements == [0, EntityTable.noOwner])
  }

  @Test func `an entity has the owner of its version at the cut`() throws {
    let night = try Night(
      """
      pipeline: p
      as_of: newest
      plausible: [1, 9999]
      entities:
        owners: { source: { path: owners.csv }, id: id, created: at }
        dogs: { source: { path: dogs.csv }, id: id, updated: at, owner: { from: of, entity: owners } }
      """,
      [
        "owners.csv": "id,at\nw,60\nx,1\ny,1\n",
        "dogs.csv": "id,at,of\nd,5,x\nd,20,y\nd,70,x\ne,70,y\nf,3,w\nf,20,x\n",
      ], asOf: Instant(milliseconds: 100))
    let (cut, snapshot) = try night.cut(at: 50)
    #expect(cut.rows["owners"] == [CutSnapshot.noRow, 0, 1])
    #expect(cut.entities["dogs"] == CutSnapshot.Counts(kept: 3, notYet: 0, earlier: 1, unknown: 1))
    let dogs = try #require(snapshot.entities["dogs"])
    // The owner of a dog whose profiles are all later is the owner of its current row.
    #expect(dogs.owner?.elements == [1, 1, 0] && dogs.updated?.elements == [20, .min, 20])
    // The earlier version of the third dog is left out with its owner.
    let earlier = try #require(dogs.earlier)
    #expect(earlier.row.elements == [0] && earlier.updated.elements == [5])
    #expect(earlier.owner?.elements == [0])
  }

  @Test func `each count has its own name`() {
    let entities: JSONValue = ["kept": 1, "not_yet": 2, "earlier": 3, "unknown": 4]
    #expect(CutSnapshot.Counts(kept: 1, notYet: 2, earlier: 3, unknown: 4).json == entities)
    let interactions: JSONValue = ["kept": 1, "left_out": 2, "without_entity": 3]
    #expect(SubsetCounts(kept: 1, leftOut: 2, withoutEntity: 3).json == interactions)
  }
}

import Columns
import Concurrency
import Files
import Ingest
import IngestFixture
import PipelineFile
import RunSchemas
import TestSupport
import Testing
import Text
import Tombstones

@testable import SnapshotEditing

/// Removes people from a snapshot. The result must equal an ingest of exports without these people.
@Suite struct SnapshotErasureTests {
  private static let yaml = """
    pipeline: p
    as_of: newest
    plausible: [1, 9999]
    reject_limit: 1
    entities:
      owners: { source: { path: owners.csv }, id: id }
      minders:
        source: { path: minders.csv }
        id: id
        created: at
        updated: changed
        position: { latitude: lat, longitude: lon }
        attributes:
          likes: { type: tags, separator: ; }
          town: { type: category }
          bio: { type: text }
          age: { type: number }
          gone: { type: flag }
          born: { type: date }
          free: { type: intervals, from: slots }
      dogs: { source: { path: dogs.csv }, id: id, created: at, owner: { from: of, entity: owners } }
    interactions:
      walks: { source: { path: walks.csv }, user: { from: m, entity: minders }, candidate: { from: d, entity: dogs }, at: t, value: { from: v, latest: true } }
    computed:
      dogs:
        walked: { count_of: walks }
    requests:
      asks:
        source: { path: asks.csv }
        user: { from: m, entity: minders }
        candidate: { from: d, entity: dogs }
        at: t
        status: { from: s, map: { open: pending, yes: accepted, no: refused } }
        changed: c
    """

  /// The rows of the exports, each with the ids that it contains.
  private struct World {
    var owners: [String] = []
    var minders: [(id: String, row: String)] = []
    var dogs: [(id: String, owner: String, row: String)] = []
    var walks: [(minder: String, dog: String, row: String)] = []
    var asks: [(minder: String, dog: String, row: String)] = []

    init(seed: UInt64, manyVersions: Bool) {
      var random = SplitMix64(seed: seed)
      func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
      func pick(_ words: [String]) -> String { words[number(0..<words.count)] }
      owners = ["x", "y", "z"]
      let people = ["a", "b", "c", "d", "e"]
      for (place, id) in people.enumerated() {
        // If `manyVersions` is false, only the second person has an earlier version.
        for version in 0..<(manyVersions ? number(1..<4) : place == 1 ? 2 : 1) {
          let tags = ["chess", "walks", "é", "zoo"].shuffled(using: &random).prefix(2).joined(separator: ";")
          minders.append(
            (
              id,
              "\(id),1,\(10 * version + number(2..<9)),\(tags),\(pick(["Cork", "Galway", ""])),of \(id) \(version),\(number(18..<90)),"
                + "\(pick(["1,2", "50.25,8.5", ","])),\(pick(["1", ""])),\(pick(["1990-01-01", "2000-02-29", ""])),"
                + "\(pick(["1/5", "7/9;1/3", ""]))\n"
            ))
        }
      }
      for place in 0..<7 {
        let owner = pick(owners)
        dogs.append(("d\(place)", owner, "d\(place),\(number(1..<5)),\(owner)\n"))
      }
      for _ in 0..<60 {
        let (minder, dog, time) = (pick(people), "d\(number(0..<7))", number(5..<60))
        walks.append((minder, dog, "\(minder),\(dog),\(time),\(number(0..<2))\n"))
        let status = pick(["open", "yes", "no"])
        asks.append(
          (minder, dog, "\(minder),\(dog),\(time),\(status),\(status == "open" ? "" : String(time + 3))\n"))
      }
    }

    /// Returns the exports without these owners, their dogs and these minders.
    func files(without owners: Set<String>, _ minders: Set<String>) -> [String: String] {
      let goneDogs = Set(dogs.filter { owners.contains($0.owner) }.map(\.id))
      let stay = { (rows: [(minder: String, dog: String, row: String)]) in
        rows.filter { !minders.contains($0.minder) && !goneDogs.contains($0.dog) }.map(\.row).joined()
      }
      return [
        "owners.csv": "id\n" + self.owners.filter { !owners.contains($0) }.map { $0 + "\n" }.joined(),
        "minders.csv": "id,at,changed,likes,town,bio,age,lat,lon,gone,born,slots\n"
          + self.minders.filter { !minders.contains($0.id) }.map(\.row).joined(),
        "dogs.csv": "id,at,of\n" + dogs.filter { !goneDogs.contains($0.id) }.map(\.row).joined(),
        "walks.csv": "m,d,t,v\n" + stay(walks), "asks.csv": "m,d,t,s,c\n" + stay(asks),
      ]
    }
  }

  private func snapshot(_ night: Night, _ run: String = "run") throws -> Snapshot {
    try Snapshot(
      night.scratch("\(run)/snapshot"), entities: night.pipeline.entities.map(\.schema),
      interactions: night.pipeline.interactions.map(\.schema), requests: [InteractionSchema(name: "asks")],
      holdsEnded: true)
  }

  /// Returns all columns of a run's snapshot by name, including earlier versions.
  private func columns(_ night: Night, _ run: String) throws -> [String: [UInt8]] {
    let folders = ["entities", "interactions", "requests"].map { "\(run)/snapshot/\($0)/" }
    let files = night.scratch.files.filter { file in folders.contains { file.hasPrefix($0) } }
    return try Dictionary(
      uniqueKeysWithValues: files.map { (String($0.dropFirst(run.count)), try night.scratch.bytes($0)) })
  }

  private func erase(
    _ night: Night, _ owners: Set<String>, _ minders: Set<String>, _ world: World, rejects: [UInt8]
  ) throws -> SnapshotErasure {
    let whole = try snapshot(night)
    func rows(_ entity: String, _ gone: (String) -> Bool) throws -> Set<Int> {
      let ids = try #require(whole.entities[entity]).ids.strings
      return Set(ids.indices.filter { gone(ids[$0]) })
    }
    let goneDogs = Set(world.dogs.filter { owners.contains($0.owner) }.map(\.id))
    return try SnapshotErasure(
      whole, pipeline: night.pipeline,
      without: [
        "owners": rows("owners", owners.contains), "minders": rows("minders", minders.contains),
        "dogs": rows("dogs", goneDogs.contains),
      ], tombstones: .none, rejects: rejects, into: night.scratch("erased"))
  }

  @Test(arguments: 0..<3 as Range<UInt64>, [true, false])
  func `the columns equal an ingest without the people`(seed: UInt64, manyVersions: Bool) throws {
    let world = World(seed: seed, manyVersions: manyVersions)
    let night = try Night(Self.yaml, world.files(without: [], []), asOf: Instant(milliseconds: 100))
    for (run, owners, minders) in [
      ("one", [], ["b"]), ("owner", ["x"], []), ("both", ["y"], ["a", "d"]), ("none", [], []),
    ] as [(String, Set<String>, Set<String>)] {
      let erased = try erase(night, owners, minders, world, rejects: Array("header\none\ntwo\n".utf8))
      let expected = try Night(
        Self.yaml, world.files(without: owners, minders), asOf: Instant(milliseconds: 100))
      let (found, wanted) = (try columns(night, "erased"), try columns(expected, "run"))
      #expect(found.keys.sorted() == wanted.keys.sorted(), "\(run)")
      for file in ["interactions/walks/in_force/at.npy", "entities/dogs/computed/walked.npy"] {
        #expect(wanted.keys.contains { $0.hasSuffix("/" + file) }, "\(run): \(file)")
      }
      for (name, bytes) in wanted { #expect(found[name] == bytes, "\(run): \(name)") }

      // The counts of kept rows decrease by the erased rows. All other counts are unchanged.
      for source in ["owners", "minders", "dogs", "walks", "asks"] {
        let before = try #require(night.manifest.counts["sources"]?[source])
        let after = try #require(erased.manifest.counts["sources"]?[source])
        let gone = after["erased"]?.integerValue ?? 0
        #expect(after["kept"] == expected.counts(source)?["kept"], "\(run): \(source)")
        #expect(gone == (before["kept"]?.integerValue ?? 0) - (after["kept"]?.integerValue ?? 0))
        #expect(gone > 0 || after == before, "\(run): \(source)")
        #expect(after["read"] == before["read"] && after["rejected"] == before["rejected"])
        #expect(after["dangling"] == before["dangling"] && after["not_allowed"] == before["not_allowed"])
      }
      let kept = { (source: String) in
        (night.counts(source)?["kept"]?.integerValue ?? 0)
          - (expected.counts(source)?["kept"]?.integerValue ?? 0)
      }
      #expect(erased.entities == kept("owners") + kept("minders") + kept("dogs"))
      #expect(erased.interactions == kept("walks") + kept("asks"))
      #expect(erased.manifest.outputs.first { $0.path == "rejects.csv" }?.rows == 2)
      #expect(try night.scratch.text("erased/snapshot/rejects.csv") == "header\none\ntwo\n")
      let ids = try #require(try snapshot(night).entities["minders"]).ids.strings
      var next: UInt32 = 0
      let rows = ids.map { id -> UInt32 in
        if minders.contains(id) { return CutSnapshot.noRow }
        defer { next += 1 }
        return next
      }
      #expect(erased.rows["minders"] == rows)
      try Directories.remove(night.scratch("erased"))
    }
  }

  @Test func `erasing an owner removes the earlier versions of dogs that this owner had`() throws {
    let yaml = """
      pipeline: p
      as_of: newest
      plausible: [1, 9999]
      entities:
        owners: { source: { path: owners.csv }, id: id }
        dogs: { source: { path: dogs.csv }, id: id, updated: at, owner: { from: of, entity: owners } }
      """
    func night(_ owners: [String], _ dogs: [String]) throws -> Night {
      let files = [("owners.csv", ["id"] + owners), ("dogs.csv", ["id,at,of"] + dogs)]
      return try Night(
        yaml, Dictionary(uniqueKeysWithValues: files.map { ($0, $1.joined(separator: "\n") + "\n") }),
        asOf: Instant(milliseconds: 100))
    }
    // Both dogs had another owner before. The erasure removes one of the earlier owners.
    let rows = ["d,2,x", "d,5,y", "e,2,z", "e,5,y"]
    let whole = try night(["x", "y", "z"], rows)
    let expected = try night(["y", "z"], Array(rows.dropFirst()))
    _ = try SnapshotErasure(
      try Snapshot(
        whole.scratch("run/snapshot"), entities: whole.pipeline.entities.map(\.schema), interactions: []),
      pipeline: whole.pipeline, without: ["owners": [0]], tombstones: .none, rejects: [],
      into: whole.scratch("erased"))
    let (found, wanted) = (try columns(whole, "erased"), try columns(expected, "run"))
    #expect(found.keys.sorted() == wanted.keys.sorted())
    #expect(found.keys.contains { $0.hasSuffix("dogs/earlier/owner.npy") })
    for (name, bytes) in wanted { #expect(found[name] == bytes, "\(name)") }
  }

  @Test func `the inputs contain only the newest set of tombstones`() throws {
    let world = World(seed: 1, manyVersions: false)
    let night = try Night(Self.yaml, world.files(without: [], []), asOf: Instant(milliseconds: 100))
    let directory = TombstoneDirectory(night.scratch("erasures"))
    let exports = night.manifest.inputs
    var place = "run"
    for (id, next) in [("a", "once"), ("b", "twice")] {
      try directory.add([(id: Array(id.utf8), entity: "minders")])
      let tombstones = try directory.load()
      let erased = try SnapshotErasure(
        try snapshot(night, place), pipeline: night.pipeline, without: [:], tombstones: tombstones,
        rejects: [],
        into: night.scratch(next))
      #expect(erased.manifest.inputs == exports + [try #require(tombstones.input)])
      place = next
    }
  }

  @Test func `a second erasure adds to the counts of the first, and only of sources that lose rows`() throws {
    let world = World(seed: 1, manyVersions: false)
    let night = try Night(Self.yaml, world.files(without: [], []), asOf: Instant(milliseconds: 100))
    var place = "run"
    for (round, next) in ["once", "twice"].enumerated() {
      let whole = try snapshot(night, place)
      let erased = try SnapshotErasure(
        whole, pipeline: night.pipeline, without: ["minders": [0]], tombstones: .none, rejects: [],
        into: night.scratch(next))
      let sources = try #require(erased.manifest.counts["sources"])
      #expect(sources["minders"]?["erased"] == .integer(round + 1))
      #expect(sources["minders"]?["kept"] == .integer(4 - round))
      for name in ["walks", "asks"] {
        let source = try #require(sources[name])
        let (kept, gone) = (source["kept"]?.integerValue ?? 0, source["erased"]?.integerValue ?? 0)
        #expect(gone > 0 && kept + gone == night.counts(name)?["kept"]?.integerValue, "\(name)")
        #expect(source["newest"] == nil)
      }
      for name in ["owners", "dogs"] { #expect(sources[name] == night.counts(name), "\(name)") }
      #expect(erased.entities == 1)
      #expect(erased.rows["owners"] == [0, 1, 2])
      let left = [CutSnapshot.noRow] + (0..<(4 - round)).map { UInt32($0) }
      #expect(erased.rows["minders"] == left)
      // The members of the counts other than the sources stay the same.
      var (before, after) = (whole.manifest.counts.members, erased.manifest.counts.members)
      (before["sources"], after["sources"]) = (nil, nil)
      #expect(before == after)
      place = next
    }
  }

  // MARK: - Rejects

  private static let header = "file,unit,number,field,rule,value\n"

  @Test(arguments: [
    ("users.csv,line,2,id,duplicate_id,u1\n", false, "", 1),
    ("users.csv,line,2,id,duplicate_id,u10\n", false, "users.csv,line,2,id,duplicate_id,u10\n", 0),
    ("users.csv,line,2,id,duplicate_id,u10\n", true, "users.csv,line,2,id,duplicate_id,\n", 0),
    ("swipes.csv,line,9,a,unknown_user,u1\n", true, "", 1),
    // The name of a file may need quotes. A line that is not CSV stays.
    ("\"a,b.csv\",line,2,id,duplicate_id,u1\n", false, "", 1), ("a\"b,u1\n", false, "a\"b,u1\n", 0),
    ("a.csv,line,2,age,bad_number,\"1,\"\"5\"\n", false, "a.csv,line,2,age,bad_number,\n", 0),
    (
      "a.csv,line,2,id,duplicate_id,x\na.csv,line,3,id,duplicate_id,u1\na.csv,line,4,id,duplicate_id,y\n",
      false,
      "a.csv,line,2,id,duplicate_id,x\na.csv,line,4,id,duplicate_id,y\n", 1
    ),
    ("", true, "", 0),
    // The value of a reject by another rule may belong to any person.
    ("users.csv,line,2,age,bad_number,u1\n", false, "users.csv,line,2,age,bad_number,\n", 0),
    ("users.csv,line,2,age,bad_number,young\n", false, "users.csv,line,2,age,bad_number,\n", 0),
    ("a.csv,line,2,id,duplicate_id,\"u,2\"\nb.csv,line,3,id,duplicate_id,u1\n", false, "", 2),
  ])
  func `erased people's rejects, and values that may belong to them, are removed`(
    rows: String, hidesOthers: Bool, left: String, removed: Int
  ) {
    let found = RejectsErasure.removing(
      [Array("u1".utf8), Array("u,2".utf8)], from: Array((Self.header + rows).utf8), hidesOthers: hidesOthers)
    #expect(String(decoding: found.text, as: UTF8.self) == Self.header + left)
    #expect(found.removed == removed)
  }

  private static let idRules: Set<IngestRule> = [
    .duplicateID, .unknownUser, .unknownCandidate, .unknownOwner, .selfInteraction, .underAge, .ageUnknown,
  ]

  @Test(arguments: IngestRule.allCases)
  func `only rules about ids remove the reject of an erased person`(rule: IngestRule) {
    let place = "a.csv,line,2,id,\(rule.rawValue),"
    let found = RejectsErasure.removing(
      [Array("u1".utf8)], from: Array((Self.header + place + "u1\n").utf8), hidesOthers: false)
    let isRemoved = Self.idRules.contains(rule)
    #expect(found.removed == (isRemoved ? 1 : 0))
    #expect(String(decoding: found.text, as: UTF8.self) == Self.header + (isRemoved ? "" : place + "\n"))
  }

  /// A log shows the first 80 characters of a value.
  @Test(arguments: [(79, 79, 1), (80, 80, 1), (81, 80, 1), (200, 80, 1), (79, 80, 0), (80, 79, 0)])
  func `a long id is found by its first eighty characters`(length: Int, shown: Int, removed: Int) {
    let row = "a.csv,line,2,id,duplicate_id," + String(repeating: "ä", count: shown) + "\n"
    let found = RejectsErasure.removing(
      [Array(String(repeating: "ä", count: length).utf8)], from: Array((Self.header + row).utf8),
      hidesOthers: false)
    #expect(found.removed == removed)
    #expect(String(decoding: found.text, as: UTF8.self) == Self.header + (removed == 1 ? "" : row))
  }
}

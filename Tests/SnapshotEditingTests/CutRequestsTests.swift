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

@testable import SnapshotEditing

/// Cuts requests, tags, owners, replaced interactions and computed attributes. The result must equal an
/// ingest of the same exports as of the cut.
@Suite struct CutRequestsTests {
  private static let yaml = """
    pipeline: p
    as_of: newest
    plausible: [1, 9999]
    reject_limit: 1
    dangling_limit: 1
    later_limit: 1
    entities:
      owners: { source: { path: owners.csv }, id: id }
      minders: { source: { path: minders.csv }, id: id, created: at, updated: changed, attributes: { likes: { type: tags, separator: ; } } }
      dogs: { source: { path: dogs.csv }, id: id, created: at, owner: { from: of, entity: owners } }
    requests:
      asks:
        source: { path: asks.csv }
        user: { from: m, entity: minders }
        candidate: { from: d, entity: dogs }
        at: t
        status: { from: s, map: { open: pending, yes: accepted, no: refused, back: withdrawn } }
        changed: c
    interactions:
      pats:
        source: { path: pats.csv }
        user: { from: m, entity: minders }
        candidate: { from: d, entity: dogs }
        at: t
        value: { from: v, map: { "yes": 1, "no": -1 }, latest: true }
    computed:
      dogs:
        patted: { count_of: pats }
    """

  private func night(_ asks: String, minders: String, dogs: String, pats: String = "", asOf: Int64) throws
    -> Night
  {
    try Night(
      Self.yaml,
      [
        "owners.csv": "id\nx\ny\n", "minders.csv": "id,at,changed,likes\n" + minders,
        "dogs.csv": "id,at,of\n" + dogs, "asks.csv": "m,d,t,s,c\n" + asks,
        "pats.csv": "m,d,t,v\n" + pats,
      ], asOf: Instant(milliseconds: asOf))
  }

  private func snapshot(_ night: Night) throws -> Snapshot {
    try Snapshot(
      night.scratch("run/snapshot"), entities: night.pipeline.entities.map(\.schema),
      interactions: night.pipeline.interactions.map(\.schema),
      requests: [InteractionSchema(name: "asks")], holdsEnded: true)
  }

  @Test(arguments: 0..<6 as Range<UInt64>)
  func `a cut has the bytes of an ingest as of that time`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    // All times are multiples of 5, so some creations, requests and answers are exactly at a cut.
    func time(_ range: ClosedRange<Int>) -> Int { 5 * Int.random(in: range, using: &random) }
    let tags = ["chess", "walks", "é", "zoo"]
    let people = ["a", "b", "c", "d", "e"]
    var minders = people.map {
      "\($0),\(time(0...6)),,\(tags.shuffled(using: &random).prefix(2).joined(separator: ";"))\n"
    }
    minders += people.map {
      "\($0),,\(time(0...12)),\(tags.shuffled(using: &random).prefix(3).joined(separator: ";"))\n"
    }
    let dogs = (0..<6).map { "d\($0),\(time(0...6)),\($0.isMultiple(of: 2) ? "x" : "y")\n" }
    let asks = (0..<60).map { _ -> String in
      let (made, status) = (
        time(0...12), ["open", "yes", "no", "back"].randomElement(using: &random) ?? "open"
      )
      let answer = status == "open" ? "" : "\(made + time(0...6))"
      return
        "\(people.randomElement(using: &random) ?? "a"),d\(Int.random(in: 0..<6, using: &random)),\(made),\(status),\(answer)\n"
    }
    let pats = (0..<40).map { _ -> String in
      let (minder, value) = (people.randomElement(using: &random) ?? "a", Bool.random(using: &random))
      return "\(minder),d\(Int.random(in: 0..<6, using: &random)),\(time(0...14)),\(value ? "yes" : "no")\n"
    }
    func night(_ asOf: Int64) throws -> Night {
      try self.night(
        asks.joined(), minders: minders.joined(), dogs: dogs.joined(), pats: pats.joined(), asOf: asOf)
    }
    let latest = try night(100)
    let whole = try snapshot(latest)
    let patted = try #require(whole.interactions["pats"])
    var pendingAtACut = 0
    for cut in [0, 15, 30, 60] as [Int64] {
      let run = "cut-\(cut)"
      let written = try SnapshotCut.write(
        whole, pipeline: latest.pipeline, entityCut: { _, _ in cut },
        keepsInteraction: { _, index in patted.at[index] <= cut }, asOf: Instant(milliseconds: cut),
        into: latest.scratch(run),
        tool: "test", laterProfiles: .asExported)
      let then = try night(cut)
      let expected = try then.columns("run")
      #expect(try latest.columns(run) == expected, "as of \(cut)")
      for file in ["requests/asks/status", "interactions/pats/in_force/at", "entities/dogs/computed/patted"] {
        #expect(expected.keys.contains { $0.hasSuffix("/\(file).npy") }, "\(file)")
      }
      #expect(written.manifest.asOf == then.manifest.asOf)
      let table = try #require(try snapshot(then).requests["asks"])
      pendingAtACut += (0..<table.count).count { table.status[$0] == RequestStatus.pending.code }
    }
    #expect(pendingAtACut > 0)
  }

  /// The time of a cut belongs to the user who asks, not to the candidate.
  @Test func `the requests of each user have their own cut`() throws {
    let latest = try night(
      "a,d0,10,open,\na,d0,20,open,\nb,d0,20,yes,30\nb,d0,31,open,\n", minders: "a,0,,\nb,0,,\n",
      dogs: "d0,0,x\n", asOf: 100)
    let cut = try SnapshotCut.write(
      try snapshot(latest), pipeline: latest.pipeline,
      entityCut: { entity, row in entity == "minders" ? (row == 0 ? 15 : 29) : 100 },
      keepsInteraction: { _, _ in true }, asOf: Instant(milliseconds: 100), into: latest.scratch("cut"),
      tool: "test", laterProfiles: .unknown)
    #expect(cut.interactions["asks"] == SubsetCounts(kept: 2, leftOut: 2, withoutEntity: 0))
    let counts: JSONValue = ["kept": 2, "left_out": 2, "without_entity": 0]
    #expect(cut.manifest.counts["sources"]?["asks"] == counts)
    let asks = try #require(
      try Snapshot(
        latest.scratch("cut/snapshot"), entities: latest.pipeline.entities.map(\.schema), interactions: [],
        requests: [InteractionSchema(name: "asks")]
      ).requests["asks"])
    #expect(asks.user.elements == [0, 1] && asks.at.elements == [10, 20])
    let pending = RequestStatus.pending.code
    #expect(asks.status.elements == [pending, pending] && asks.changed.elements == [.min, .min])
  }

  @Test func `requests are counted as kept, left out, or without a user or candidate`() throws {
    let latest = try night(
      "a,d0,10,open,\na,d0,20,yes,30\na,d0,31,open,\nb,d0,20,open,\na,d1,20,open,\n",
      minders: "a,0,,\nb,40,,\n", dogs: "d0,0,x\nd1,40,x\n", asOf: 100)
    let table = try #require(try snapshot(latest).requests["asks"])
    // At the cut, the second minder and the second dog do not exist.
    let left = CutSnapshot.noRow
    let cut = CutRequests(table, users: [0, left], candidates: [0, left]) { _ in 30 }
    #expect(cut.counts == SubsetCounts(kept: 2, leftOut: 1, withoutEntity: 2))
    // A request at the time of the cut is kept. A request whose answer is later than the cut has no
    // answer yet.
    #expect(CutRequests(table, users: [0, left], candidates: [0, left]) { _ in 20 }.counts.kept == 2)
    #expect(CutRequests(table, users: [0, left], candidates: [0, left]) { _ in 19 }.counts.kept == 1)
  }
}

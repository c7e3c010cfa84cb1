import Columns
import Files
import Testing
import TestSupport
import Text

@testable import RunSchemas

/// The tables of a snapshot fit each other.
@Suite struct SnapshotFormatTests {
  private static let people = EntitySchema(name: "people", hasPosition: false, attributes: [:])
  private static let items = EntitySchema(name: "items", hasPosition: false, owner: "people", attributes: [:])
  private static let pair = InteractionSchema.Entities(users: "people", candidates: "items")

  private let scratch: ScratchDirectory

  /// Two people, three items, four likes and five requests. Two of the likes are in force.
  init() throws {
    scratch = try ScratchDirectory()
    try scratch.stage("snapshot") {
      try StringColumn.write([[97], [98]], to: "entities/people/id", in: &$0)
      try StringColumn.write([[97], [98], [99]], to: "entities/items/id", in: &$0)
      try Column.write([0, 1, EntityTable.noOwner] as [UInt32], to: "entities/items/owner.npy", in: &$0)
      try Self.writeLikes(
        [0, 0, 2, 2], users: [0, 3, 4], groups: [0, 2, 2, 4], to: "interactions/likes/", in: &$0)
      try Self.writeLikes(
        [0, 2], users: [0, 1, 2], groups: [0, 1, 1, 2], to: "interactions/likes/in_force/", in: &$0)
      try Column.write([0, 0, 0, 1, 1] as [UInt32], to: "requests/asks/user.npy", in: &$0)
      try Column.write([1, 1, 2, 2, 2] as [UInt32], to: "requests/asks/candidate.npy", in: &$0)
      try Column.write([1, 2, 3, 4, 5] as [Int64], to: "requests/asks/at.npy", in: &$0)
      try Column.write([1, 2, .min, 4, 5] as [Int64], to: "requests/asks/changed.npy", in: &$0)
      try Column.write([3, 1, 0, 2, 3] as [UInt8], to: "requests/asks/status.npy", in: &$0)
    }
  }

  private static func writeLikes(
    _ candidates: [UInt32], users: [UInt64], groups: [UInt64], to folder: String,
    in directory: inout StageDirectory
  ) throws {
    try Column.write(candidates, to: folder + "candidate.npy", in: &directory)
    try Column.write(candidates.indices.map { Int64($0) }, to: folder + "at.npy", in: &directory)
    try Column.write(candidates.indices.map { Double($0) - 1.5 }, to: folder + "value.npy", in: &directory)
    try Column.write(users, to: folder + "user.offsets.npy", in: &directory)
    try Column.write(candidates.indices.map { UInt32($0) }, to: folder + "by_candidate.npy", in: &directory)
    try Column.write(groups, to: folder + "by_candidate.offsets.npy", in: &directory)
  }

  private func snapshot(
    likedFrom: Double? = nil, pair: InteractionSchema.Entities? = pair, holdsEnded: Bool = false
  ) throws -> Snapshot {
    try Snapshot(
      scratch("snapshot"), entities: [Self.items, Self.people],
      interactions: [InteractionSchema(name: "likes", likedFrom: likedFrom, entities: pair)],
      requests: [InteractionSchema(name: "asks", entities: pair)], holdsEnded: holdsEnded)
  }

  @Test func `a snapshot has the interactions in force, and their history`() throws {
    let snapshot = try snapshot()
    let likes = try #require(snapshot.interactions["likes"])
    #expect(likes.count == 2 && likes.user.elements == [0, 1] && likes.candidate.elements == [0, 2])
    #expect(snapshot.history(of: "likes")?.count == 4 && snapshot.history(of: "none") == nil)
    #expect(likes.range(ofUser: 1) == 1..<2 && likes.range(ofCandidate: 2) == 1..<2)
    #expect(likes.replacingValues([7, 8]).value.elements == [7, 8])
    let all = try self.snapshot(holdsEnded: true)
    #expect(all.interactions["likes"]?.user.elements == [0, 0, 0, 1])
    #expect(all.history(of: "likes")?.count == 4)
  }

  @Test func `without a threshold, positive values are likes and negative ones are passes`() throws {
    let plain = try #require(try snapshot().interactions["likes"])
    #expect(plain.likedFrom == .leastNonzeroMagnitude && plain.passedBelow == 0)
    let stars = try snapshot(likedFrom: 4)
    for table in [stars.interactions["likes"], stars.history(of: "likes")] {
      #expect(table?.likedFrom == 4 && table?.passedBelow == 4)
    }
  }

  @Test func `the last request of a user to a candidate is in force`() throws {
    let asks = try #require(try snapshot().requests["asks"])
    #expect(asks.count == 5 && asks.inForce == [1, 2, 4])
    #expect(asks.status.elements.map { RequestStatus.allCases[Int($0)] }.suffix(2) == [.refused, .withdrawn])
    #expect(RequestStatus.allCases.map(\.code) == [0, 1, 2, 3])
  }

  @Test(
    arguments: [
      ("entities/items/owner.npy", [0, 2, 0], true),
      ("interactions/likes/candidate.npy", [0, 0, 3, 2], true),
      ("interactions/likes/by_candidate.npy", [0, 1, 2, 4], true),
      ("requests/asks/user.npy", [0, 0, 0, 1, 2], false),
      ("requests/asks/user.npy", [0, 0, 1, 1, 0], true),
      ("requests/asks/candidate.npy", [1, 1, 3, 2, 2], false),
      ("requests/asks/candidate.npy", [1], true),
    ] as [(String, [UInt32], Bool)])
  func `rows that do not exist or are out of order are damage`(
    name: String, rows: [UInt32], isFoundAlone: Bool
  ) throws {
    try scratch.replace(name, of: "snapshot", by: rows)
    #expect(#expect(throws: FileError.self) { try snapshot() }?.path == scratch("snapshot/" + name))
    // Without the names of both entities, the rows of a table are only compared with each other.
    if !isFoundAlone { _ = try snapshot(pair: nil) }
  }

  @Test func `requests of a user in another order of candidates are damage`() throws {
    try scratch.replace("requests/asks/candidate.npy", of: "snapshot", by: [1, 1, 2, 2, 1] as [UInt32])
    #expect(#expect(throws: FileError.self) { try snapshot() }?.reason.contains("not in order") == true)
  }

  @Test func `an unknown status is damage`() throws {
    try scratch.replace("requests/asks/status.npy", of: "snapshot", by: [0, 1, 2, 3, 4] as [UInt8])
    #expect(#expect(throws: FileError.self) { try snapshot() }?.reason.contains("unknown status") == true)
  }

  @Test(
    arguments: ["interactions/likes/", "interactions/likes/in_force/"],
    [("user.offsets.npy", 3), ("by_candidate.offsets.npy", 4)])
  func `interactions of another number of entities are damage`(
    folder: String, file: (name: String, count: Int)
  ) throws {
    let end: UInt64 = folder.hasSuffix("in_force/") ? 2 : 4
    let offsets = [0] + [UInt64](repeating: end, count: file.count)
    try scratch.replace(folder + file.name, of: "snapshot", by: offsets)
    let error = #expect(throws: FileError.self) { try snapshot() }
    let reason = error?.reason ?? ""
    #expect(reason.contains("differs from the number of rows of their entity"), "\(reason)")
  }
}

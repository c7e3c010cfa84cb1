import Files
import PipelineFile
import RunSchemas
import System
import TestSupport
import Testing

@testable import Tombstones

private func bytes(_ id: String) -> [UInt8] { Array(id.utf8) }

private func holds(_ tombstones: TombstoneSet, _ id: String, _ entity: String) -> Bool {
  tombstones.contain(bytes(id).span, of: entity)
}

@Suite struct ErasedIDsTests {
  @Test func `ids are kept by kind of entity, each once`() {
    var ids = ErasedIDs()
    #expect(ids.isEmpty && ids.count == 0 && ids.all == [] && ids.of("users") == [])
    for (id, entity) in [("a", "users"), ("a", "users"), ("b", "users"), ("a", "dogs")] {
      ids.insert(bytes(id), entity: entity)
    }
    #expect(!ids.isEmpty && ids.count == 3)
    #expect(ids.byEntity == ["users": [bytes("a"), bytes("b")], "dogs": [bytes("a")]])
    #expect(ids.of("users") == [bytes("a"), bytes("b")] && ids.of("cats") == [])
    #expect(ids.all == [bytes("a"), bytes("b")])
    let one = ids.count { id, entity in id == bytes("a") && entity == "users" }
    let same = ids.count { id, _ in id == bytes("a") }
    let users = ids.count { _, entity in entity == "users" }
    #expect(one == 1 && same == 2 && users == 2)
  }

  @Test func `a union has the ids of both sides`() {
    var (left, right) = (ErasedIDs(), ErasedIDs())
    left.insert(bytes("a"), entity: "users")
    right.insert(bytes("b"), entity: "users")
    right.insert(bytes("c"), entity: "dogs")
    left.formUnion(right)
    #expect(left.byEntity == ["users": [bytes("a"), bytes("b")], "dogs": [bytes("c")]])
    #expect(right.count == 2)
    left.formUnion(ErasedIDs())
    #expect(left.count == 3)
  }
}

@Suite struct TombstonePlaceTests {
  private func pipeline(_ privacy: String, in scratch: ScratchDirectory) throws -> Pipeline {
    try Pipeline(
      yaml: "pipeline: p\n\(privacy)entities: { users: { source: { path: users.csv }, id: id } }\n",
      file: scratch("p.yaml"))
  }

  @Test func `tombstones are beside the runs, unless the pipeline file names a directory`() throws {
    let scratch = try ScratchDirectory()
    let runs = RunDirectories(work: scratch("var"), pipeline: "p")
    let none: RunDirectories? = nil
    let usual = try pipeline("", in: scratch)
    let beside: TombstoneDirectory = usual.tombstones(beside: runs)
    #expect(beside.path == scratch("var/p/erasures"))
    let absent: TombstoneDirectory? = usual.tombstones(beside: none)
    #expect(absent?.path == nil)
    let known: RunDirectories? = runs
    let optional: TombstoneDirectory? = usual.tombstones(beside: known)
    #expect(optional?.path == scratch("var/p/erasures"))
    let chosen = try pipeline("privacy: { erasures: graves }\n", in: scratch)
    let named: TombstoneDirectory = chosen.tombstones(beside: runs)
    #expect(named.path == scratch("graves"))
    let alone: TombstoneDirectory? = chosen.tombstones(beside: none)
    #expect(alone?.path == scratch("graves"))
  }

  @Test(arguments: [
    (TombstoneError.Code.key, System.ExitStatus.badPipelineFile), (.damaged, .badData),
    (.absent, .missingInput),
  ])
  func `each error has its status and its next step`(code: TombstoneError.Code, status: System.ExitStatus) {
    let error = TombstoneError(code, "p", "it is gone", nextStep: "Restore it.")
    #expect(error.exitStatus == status && error.description == "'p': it is gone. Restore it.")
  }

  @Test func `adding no tombstones creates only the key`() throws {
    let scratch = try ScratchDirectory()
    let directory = TombstoneDirectory(scratch("erasures"))
    #expect(try directory.add([]) == 0)
    #expect(scratch.files == ["erasures/key"])
    #expect(try scratch.text("erasures/key").utf8.count == 65)
    #expect(try directory.load().isEmpty)
    let key = try scratch.text("erasures/key")
    #expect(try directory.add([(bytes("u1"), "users"), (bytes("u1"), "dogs")]) == 2)
    #expect(try scratch.text("erasures/key") == key, "the key never changes")
    let tombstones = try directory.load()
    #expect(holds(tombstones, "u1", "dogs") && tombstones.count == 2)
    #expect(try directory.lift([(bytes("u1"), "dogs")]) == 1)
    let left = try directory.load()
    #expect(!holds(left, "u1", "dogs") && holds(left, "u1", "users"))
  }

  @Test func `two directories have different keys`() throws {
    let scratch = try ScratchDirectory()
    for name in ["a", "b"] { try TombstoneDirectory(scratch(name)).add([(bytes("u1"), "users")]) }
    #expect(try scratch.text("a/key") != scratch.text("b/key"))
    #expect(try scratch.text("a/tombstones") != scratch.text("b/tombstones"))
  }
}

import PipelineFile
import ServingStore
import TestSupport
import Testing
import Tombstones

@testable import Publishing

/// A store can contain erased people again, for example after an old dump was restored.
struct ErasedAgainTests {
  @Test func `erased people are removed from the store, and reported once`() throws {
    let (night, scratch) = (try TinyNight(), try ScratchDirectory())
    _ = try night.publish()
    let directory = TombstoneDirectory(scratch("erasures"))
    let publication = StorePublication(
      night.night, to: try night.pipeline.storeAddress(nil), force: false, acceptsDrop: false)
    var warnings: [String] = []
    for (id, count) in [("unknown", 0), ("c", 1), ("c", 1)] {
      try directory.add([(id: Array(id.utf8), entity: "users")])
      try publication.removeErased(directory.load()) { warnings.append($0) }
      #expect(warnings.count == count, "\(warnings)")
    }
    #expect(
      warnings.first?.hasSuffix("removed 1 erased person who reappeared in 1 generation") == true)
  }

  /// The store does not contain the owner "gone" of "c", as after the erasure of an owner of dogs.
  @Test(arguments: [true, false])
  func `what an erased person owned is removed from all generations`(isRollback: Bool) throws {
    let (night, scratch) = (try TinyNight(), try ScratchDirectory())
    for _ in 0..<2 { _ = try night.publish(force: true) }
    let directory = TombstoneDirectory(scratch("erasures"))
    let person = (id: Array("gone".utf8), entity: "users")
    try directory.add([person, (id: Array("b".utf8), entity: "users")])
    var owned = ErasedIDs()
    owned.insert(Array("c".utf8), entity: "users")
    try directory.add(belongings: owned, of: person)
    let tombstones = try directory.load()
    let store = try night.pipeline.storeAddress(nil).open(for: .publishing)
    var warnings: [String] = []
    if isRollback {
      _ = try Rollback(night.pipeline, tombstones: tombstones, to: nil).run(in: store) { warnings.append($0) }
    } else {
      try StorePublication(
        night.night, to: try night.pipeline.storeAddress(nil), force: false, acceptsDrop: false
      ).removeErased(tombstones) { warnings.append($0) }
    }
    #expect(warnings.first?.contains(" 1 erased person and 1 item of erased people ") == true, "\(warnings)")
    for generation in [1, 2] {
      var ids: Set<String> = []
      try store.visitIDs(in: generation, of: "tiny") { ids.insert($1.text) }
      #expect(ids.contains("a") && ids.isDisjoint(with: ["b", "c"]))
    }
  }
}

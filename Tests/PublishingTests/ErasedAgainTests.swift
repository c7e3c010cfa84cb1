import PipelineFile
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
}

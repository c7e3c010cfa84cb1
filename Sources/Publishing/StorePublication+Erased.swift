internal import PipelineFile
internal import ServingStore
internal import Text
package import Tombstones

extension StorePublication {
  /// Removes people with a tombstone, and the items that they owned when they were erased, from all
  /// generations of the store.
  ///
  /// The store may contain these people if it was unreachable during their erasure, or was restored from an
  /// older dump. A generation is not searched again if its note contains the digest of the same tombstones.
  ///
  /// - Parameters:
  ///   - tombstones: The tombstones of the people erased from the pipeline.
  ///   - warn: Receives messages about the removed people, and about traces that the store may still contain.
  /// - Throws: `ServingStoreError`.
  package func removeErased(_ tombstones: TombstoneSet, warn: (String) -> Void) throws {
    guard !tombstones.isEmpty, let existing = try existing() else { return }
    let name = night.pipeline.name
    let unchecked = try existing.generations(pipeline: name).filter {
      $0.note.tombstones != tombstones.digest
    }
    guard !unchecked.isEmpty else { return }
    let store = try address.open(for: .publishing, busyTimeout: address.patience)
    let search = TombstoneSearch(pipeline: night.pipeline, tombstones: tombstones)
    var found = ErasedIDs()
    for generation in unchecked { found.formUnion(try search.found(in: generation.number, of: store)) }
    // The erasure runs even if no such people were found, to record that these generations were searched.
    let erasure = try store.erase(
      search.people(found), of: name, ErasureOptions(tombstones: tombstones.digest))
    guard erasure.total > 0 else { return }
    warn(
      "\(address.shown): removed \(search.counted(found)) who reappeared in "
        + erasure.generations.counted("generation"))
    for remark in erasure.remarks { warn("\(address.shown): \(remark)") }
  }
}

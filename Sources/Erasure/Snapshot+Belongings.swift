internal import Columns
internal import PipelineFile
internal import RunSchemas

extension Snapshot {
  /// Adds the rows that belong to a row in `rows`, directly or indirectly.
  ///
  /// - Parameters:
  ///   - pipeline: The pipeline as it was when the snapshot was made.
  ///   - rows: The rows by entity. The belongings are added to these rows.
  func addBelongings(of pipeline: Pipeline, to rows: inout [String: Set<Int>]) {
    for entity in pipeline.entitiesByOwner {
      guard let owner = entity.owner, let owners = rows[owner.entity],
        let column = entities[entity.name]?.owner
      else { continue }
      // `noOwner` is never the number of an erased row.
      for (row, owner) in column.elements.enumerated() where owners.contains(Int(owner)) {
        rows[entity.name, default: []].insert(row)
      }
    }
  }
}

extension Pipeline {
  /// Whether the rows of any entity have owners.
  var hasOwners: Bool { entities.contains { $0.owner != nil } }
}

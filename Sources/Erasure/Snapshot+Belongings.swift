internal import Columns
internal import PipelineFile
internal import RunSchemas

extension Snapshot {
  /// Adds the rows of whatever belongs to one of `rows`, directly or by way of others.
  ///
  /// - Parameters:
  ///   - pipeline: The pipeline as it was when the snapshot was made.
  ///   - rows: By entity.
  func addBelongings(of pipeline: Pipeline, to rows: inout [String: Set<Int>]) {
    for entity in pipeline.entitiesByOwner {
      guard let owner = entity.owner, let owners = rows[owner.entity],
        let column = entities[entity.name]?.owner
      else { continue }
      // Nobody's row is none of theirs.
      for (row, owner) in column.elements.enumerated() where owners.contains(Int(owner)) {
        rows[entity.name, default: []].insert(row)
      }
    }
  }
}

extension Pipeline {
  /// Whether anything belongs to anybody.
  var hasOwners: Bool { entities.contains { $0.owner != nil } }
}

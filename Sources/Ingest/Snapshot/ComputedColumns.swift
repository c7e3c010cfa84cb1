internal import Columns
package import Files
package import PipelineFile
internal import RunSchemas

/// Writes the attributes that are computed from interactions, after the snapshot's interactions are written.
package enum ComputedColumns {
  /// Writes `entities/<entity>/computed/<name>.npy` for every computed attribute of `pipeline`.
  ///
  /// - Parameters:
  ///   - pipeline: The effective pipeline file.
  ///   - directory: The snapshot being written, with all interactions and attributes.
  /// - Throws: `FileError`.
  /// - Complexity: O(n) in the interactions, once for each computed attribute.
  package static func write(_ pipeline: Pipeline, to directory: inout StageDirectory) throws(FileError) {
    for entity in pipeline.entities {
      for attribute in entity.computed {
        let table = try InteractionTable(directory.written("interactions/" + attribute.interaction))
        let received = ReceivedSums(table)
        let values: [Double]
        switch attribute.measure {
        case .count: values = received.counts
        case .shrunkenMean(let strength, let group):
          var groups: CategoryColumn?
          if let group {
            groups = try CategoryColumn(directory.written("entities/\(entity.name)/attributes/\(group)"))
          }
          values = ShrunkenMeans(received, strength: strength, groups: groups).values
        }
        try Column.write(
          values, to: "entities/\(entity.name)/computed/\(attribute.name).npy", in: &directory)
      }
    }
  }
}

internal import Columns
internal import Files
internal import PipelineFile
internal import RunSchemas

/// The category words that fewer than ten rows have. Such a word could help to identify a person.
struct RareWords: Sendable {
  /// The words in the form of model columns, such as `field=Word`.
  private let columns: Set<String>

  /// Reads the words of all categories in the snapshot of `run`.
  ///
  /// - Throws: `FileError` if the snapshot cannot be read.
  init(_ run: ReportedRun) throws(FileError) {
    var columns: Set<String> = []
    for entity in run.pipeline.entities {
      let path = "\(run.directory)/snapshot/entities/\(entity.name)/attributes/"
      for attribute in entity.attributes where attribute.type == .category {
        let column = try CategoryColumn(path + attribute.name)
        var counts = [Int](repeating: 0, count: column.vocabulary.count)
        for code in column.codes.elements where code != CategoryColumn.missing { counts[Int(code)] += 1 }
        for (code, count) in counts.enumerated() where count < Disclosure.leastPeople {
          columns.insert("\(attribute.name)=\(column.vocabulary.string(code))")
        }
      }
    }
    self.columns = columns
  }

  /// Returns whether the report may name a column of a model or a reason. The report never names a geohash
  /// cell, because a cell reveals a location.
  func mayBeNamed(_ column: String) -> Bool {
    !columns.contains(column) && !column.hasPrefix("geohash=")
  }
}

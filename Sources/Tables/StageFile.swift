internal import Reproducible

/// A file of a stage directory, with what writes it: for several that are written at the same time.
package struct StageFile: Sendable {
  /// May stand in subdirectories.
  package let name: String
  package let rows: Int?
  let body: @Sendable (inout FileWriter) throws(FileError) -> Void

  package init(
    _ name: String, rows: Int? = nil, _ body: @escaping @Sendable (inout FileWriter) throws(FileError) -> Void
  ) {
    self.name = name
    self.rows = rows
    self.body = body
  }

  /// A column file of `count` elements, whose bytes `elements` writes.
  package static func column<Element: ColumnElement>(
    _ name: String, _ type: Element.Type, count: Int,
    _ elements: @escaping @Sendable (inout FileWriter) throws(FileError) -> Void
  ) -> StageFile {
    StageFile(name, rows: count) { (writer) throws(FileError) in
      try writer.append(NumPyHeader(type: Element.numpyName, count: count).bytes)
      try elements(&writer)
    }
  }
}

extension StageDirectory {
  /// Writes `files` on up to `threads` threads: name the largest first.
  package mutating func write(_ files: [StageFile], threads: Int) throws(FileError) {
    var paths: [String] = []
    for file in files { paths.append(try place(file.name)) }
    let placed = paths
    add(
      try parallelMap(count: files.count, chunkSize: 1, threads: threads) { (index) throws(FileError) in
        let file = files[index.lowerBound]
        var writer = try FileWriter(creating: placed[index.lowerBound])
        try file.body(&writer)
        return try writer.finish(as: file.name, rows: file.rows)
      })
  }
}

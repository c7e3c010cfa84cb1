internal import Files

/// Writes the files of an export under temporary names, and renames them after all files are complete.
package struct ExportWriter {
  private let directory: String
  /// The names of all files, including incomplete ones.
  private var begun: [String] = []
  /// The complete files, in the order of writing.
  private(set) var files: [FileDigest] = []

  init(_ directory: String) {
    self.directory = directory
  }

  /// The number of bytes of all complete files.
  var bytes: Int { files.reduce(0) { $0 + $1.bytes } }

  /// Writes the file `name`. `body` writes the content of the file. `rows` is the number of rows for the
  /// digest of the file, or `nil` to leave out this number.
  mutating func file(
    _ name: String, rows: Int? = nil, _ body: (inout FileWriter) throws(FileError) -> Void
  ) throws(FileError) {
    let path = partial(name)
    try Directories.remove(path)
    begun.append(name)
    var file = try FileWriter(creating: path)
    try body(&file)
    files.append(try file.finish(as: name, rows: rows))
  }

  /// Writes the file `name` with one row per line.
  mutating func lines(_ name: String, _ rows: [String]) throws(FileError) {
    try file(name) { (file) throws(FileError) in
      for row in rows { try file.append(row + "\n") }
    }
  }

  /// Writes the file `name` as a page of a REST API: a JSON object whose only member `key` is the list of
  /// `rows`, one per line.
  mutating func page(_ name: String, of key: String, _ rows: some Sequence<String>) throws(FileError) {
    try file(name) { (file) throws(FileError) in
      try file.append("{\"\(key)\":[\n")
      var separator = ""
      for row in rows {
        try file.append(separator + row)
        separator = ",\n"
      }
      try file.append("\n]}\n")
    }
  }

  /// Renames each complete file to its final name.
  func putInPlace() throws(FileError) {
    for file in files { try Directories.rename(partial(file.path), over: directory + "/" + file.path) }
  }

  /// Removes the files under temporary names after an error. A failure to remove a file is ignored, because
  /// the file is hidden, and the next export replaces it.
  func discard() {
    for name in begun { try? Directories.remove(partial(name)) }
  }

  private func partial(_ name: String) -> String { "\(directory)/.\(name).partial" }
}

internal import Glibc

/// One file of a source in the pipeline file.
package struct ExportFile: Hashable, Sendable {
  /// The display name: the path in the pipeline file, the path of a file in a folder, or a path that matches
  /// a pattern.
  package var shown: String
  /// The path that this process opens; `-` is standard input.
  package var path: String

  package init(shown: String, path: String) {
    self.shown = shown
    self.path = path
  }
}

extension ExportFile {
  /// Reads the file from its beginning to its end.
  ///
  /// - Parameter observe: Receives all bytes in order, as they are on disk.
  /// - Throws: `missing_file`, or `unreadable` with the system's message.
  package func read(_ observe: @escaping (RawSpan) -> Void) throws(ExportError) {
    try FileBytes(path, observe: observe).readToEnd()
  }

  /// Whether the path is a regular file with at least one byte.
  package var hasBytes: Bool {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return false }
    return status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
  }

  /// Returns the path of `name` in `directory`. An absolute name stays unchanged, and so does a name in `.`.
  static func joined(_ directory: String, _ name: String) -> String {
    if name.hasPrefix("/") || directory == "." { return name }
    return directory.hasSuffix("/") ? directory + name : directory + "/" + name
  }
}

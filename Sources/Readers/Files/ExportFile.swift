/// One file of a source.
package struct ExportFile: Hashable, Sendable {
  /// The display name: the path as in the pipeline file, continued below its folders and patterns.
  package var shown: String
  /// The path that this process opens; `-` is standard input.
  package var path: String

  package init(shown: String, path: String) {
    self.shown = shown
    self.path = path
  }
}

extension ExportFile {
  /// `name` relative to the current directory, like `directory`.
  static func joined(_ directory: String, _ name: String) -> String {
    if name.hasPrefix("/") || directory == "." { return name }
    return directory.hasSuffix("/") ? directory + name : directory + "/" + name
  }
}

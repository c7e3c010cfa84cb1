/// One file of a source.
package struct ExportFile: Hashable, Sendable {
  /// What people are told: the path as the pipeline file names it, continued below its folders and patterns.
  package var shown: String
  /// What this process can open; `-` is standard input.
  package var path: String

  package init(shown: String, path: String) {
    self.shown = shown
    self.path = path
  }
}

extension ExportFile {
  /// `name` from where the process stands, as `directory` is.
  static func joined(_ directory: String, _ name: String) -> String {
    if name.hasPrefix("/") || directory == "." { return name }
    return directory.hasSuffix("/") ? directory + name : directory + "/" + name
  }
}

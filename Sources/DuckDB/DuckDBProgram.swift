internal import Foundation

/// Finds DuckDB's command-line program.
package enum DuckDBProgram {
  static let key = "NIGHTJAR_DUCKDB"

  /// Returns the path of the program. If `NIGHTJAR_DUCKDB` is set, only the program at this path, or with
  /// this name in PATH, is used. Otherwise, the program is `duckdb` in PATH. If PATH contains no `duckdb`, it
  /// is `tools/bin/duckdb` in the `.build` directory that contains this program.
  ///
  /// - Throws: `DuckDBError.missing` if no program was found.
  package static func find() throws(DuckDBError) -> String {
    let environment = ProcessInfo.processInfo.environment
    let folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
    if let chosen = environment[key], !chosen.isEmpty {
      let found = chosen.contains("/") ? existing(chosen) : inFolders(folders, chosen)
      guard let found else { throw .missing(searched: "\(key) is '\(chosen)', which is not a program") }
      return native(found)
    }
    if let found = inFolders(folders, "duckdb") ?? besideBuild() { return native(found) }
    throw .missing(searched: "PATH contains no 'duckdb'")
  }

  private static func existing(_ path: String) -> String? {
    var isDirectory = ObjCBool(false)
    let exists = unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
    return exists && !isDirectory.boolValue && FileManager.default.isExecutableFile(atPath: path)
      ? URL(filePath: path).path : nil
  }

  private static func inFolders(_ folders: [String], _ name: String) -> String? {
    for folder in folders { if let found = existing(folder + "/" + name) { return found } }
    return nil
  }

  private static func besideBuild() -> String? {
    guard let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else {
      return nil
    }
    var folder = URL(filePath: own).deletingLastPathComponent()
    while folder.path != "/" {
      if folder.lastPathComponent == ".build" { return existing(folder.path + "/tools/bin/duckdb") }
      folder = folder.deletingLastPathComponent()
    }
    return nil
  }

  /// Returns the program itself if `path` is the wrapper script of PyPI's `duckdb-cli`; otherwise `path`.
  ///
  /// The script starts the program as its own child, so a signal to the script would not reach the program.
  private static func native(_ path: String) -> String {
    guard let file = FileHandle(forReadingAtPath: path), let start = try? file.read(upToCount: 2),
      start == Data("#!".utf8)
    else { return path }
    let script = URL(filePath: path).resolvingSymlinksInPath()
    let library = script.deletingLastPathComponent().deletingLastPathComponent().path + "/lib"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: library)) ?? []
    for version in versions.sorted() where version.hasPrefix("python3") {
      for packages in ["site-packages", "dist-packages"] {
        if let found = existing("\(library)/\(version)/\(packages)/duckdb_cli/duckdb") { return found }
      }
    }
    return path
  }
}

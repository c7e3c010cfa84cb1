internal import Foundation

/// Runs DuckDB's command line. `make test` installs it in `.build/tools`.
public enum DuckDBTool {
  /// The path of the program. If it is `nil`, tests that need it are disabled.
  public static let program: String? = {
    let chosen = ProcessInfo.processInfo.environment["NIGHTJAR_DUCKDB"].flatMap { $0.isEmpty ? nil : $0 }
    let local = SharedData.repository.appending(path: ".build/tools/bin/duckdb").path
    if let chosen { return FileManager.default.isExecutableFile(atPath: chosen) ? chosen : nil }
    return Command.path(of: "duckdb") ?? (FileManager.default.isExecutableFile(atPath: local) ? local : nil)
  }()

  public static var isAvailable: Bool { program != nil }

  /// Returns the rows of the query `sql` as arrays of texts. `nil` is a missing value.
  ///
  /// DuckDB writes the rows as JSON, and Foundation decodes them. Throws an error if a statement
  /// fails.
  public static func rows(_ sql: String, in directory: String? = nil) throws -> [[String?]] {
    guard let program else { throw Program.Failure("duckdb is not installed; run 'make tools'") }
    let ended = try Program.run(
      program, ["-init", "/dev/null", "-batch", "-bail", "-jsonlines", "-c", sql], in: directory)
    guard ended.ending == .status(0) else { throw Program.Failure(ended.errors) }
    return try ended.output.split(separator: "\n").map { line in
      let object = try JSONDecoder().decode([String: String?].self, from: Data(line.utf8))
      // Queries with several columns must name them `c0`, `c1`, and so on.
      return object.sorted { $0.key.count == $1.key.count ? $0.key < $1.key : $0.key.count < $1.key.count }
        .map(\.value)
    }
  }
}

/// Creates parts of SQL statements for DuckDB.
package enum SQL {
  /// The SQL literal of the file name of the process's standard output.
  ///
  /// The literal is not `/dev/stdout`. If `/dev/stdout` is a link to a regular file and the user is root,
  /// DuckDB writes a file next to the link and renames the file over the link. For the same reason, every
  /// COPY uses `USE_TMP_FILE false`.
  package static let standardOutput = "'/proc/self/fd/1'"
  /// The SQL literal of the file name of the process's standard input.
  package static let standardInput = "'/proc/self/fd/0'"

  /// Returns `name` as a quoted identifier. `name` may contain any characters, but must not be empty.
  package static func identifier(_ name: String) -> String {
    "\"" + doubled("\"", in: name) + "\""
  }

  /// Returns `text` as a literal. `text` must not contain U+0000.
  package static func literal(_ text: String) -> String {
    "'" + doubled("'", in: text) + "'"
  }

  /// Returns the path of one file as a literal for functions that accept patterns. The characters `*`, `?`
  /// and `[` are escaped.
  package static func path(_ path: String) -> String {
    literal(
      path.unicodeScalars.map { "*?[".unicodeScalars.contains($0) ? "[\($0)]" : "\($0)" }.joined())
  }

  /// Returns the settings that precede the statements of every process.
  ///
  /// - Parameter threads: The number of threads, clamped to 1...1024.
  /// - Returns: Statements, each followed by a semicolon. They limit memory, disable spilling to disk and
  ///   implicit network access, and select UTC and the original order of rows.
  package static func settings(threads: Int) -> String {
    """
    SET TimeZone='UTC'; SET preserve_insertion_order=true; SET memory_limit='2GiB'; SET temp_directory='';
    SET threads=\(min(max(threads, 1), 1024)); SET autoinstall_known_extensions=false;

    """
  }

  /// Doubles each `mark`. The function compares scalars, because a quote and a combining mark after it form a
  /// single `Character`.
  private static func doubled(_ mark: Unicode.Scalar, in text: String) -> String {
    text.unicodeScalars.map { $0 == mark ? "\(mark)\(mark)" : "\($0)" }.joined()
  }
}

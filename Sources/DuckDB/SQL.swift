/// Pieces of DuckDB's SQL.
package enum SQL {
  /// The file that a statement writes to the process's output, as a literal.
  ///
  /// Not `/dev/stdout`: if that is a link to a regular file and the user is root, DuckDB writes a file beside it and renames it
  /// over the link. For the same reason every COPY uses `USE_TMP_FILE false`.
  package static let standardOutput = "'/proc/self/fd/1'"
  /// The file that a statement reads from the process's input, as a literal.
  package static let standardInput = "'/proc/self/fd/0'"

  /// `name` as an identifier; `name` may hold anything but must not be empty.
  package static func identifier(_ name: String) -> String {
    "\"" + doubled("\"", in: name) + "\""
  }

  /// `text` as a literal. A text cannot hold U+0000 there.
  package static func literal(_ text: String) -> String {
    "'" + doubled("'", in: text) + "'"
  }

  /// The path of one file as a literal for functions that take patterns: `*`, `?` and `[` are escaped.
  package static func path(_ path: String) -> String {
    literal(
      path.unicodeScalars.map { "*?[".unicodeScalars.contains($0) ? "[\($0)]" : "\($0)" }.joined())
  }

  /// The first settings of every process.
  ///
  /// - Parameter threads: The number of threads.
  /// - Returns: Statements, each followed by a semicolon. Memory is bounded, nothing is spilled to disk, times are in UTC, rows
  ///   stay in order, and nothing is fetched from the network implicitly.
  package static func settings(threads: Int) -> String {
    """
    SET TimeZone='UTC'; SET preserve_insertion_order=true; SET memory_limit='2GiB'; SET temp_directory='';
    SET threads=\(min(max(threads, 1), 1024)); SET autoinstall_known_extensions=false;

    """
  }

  /// By scalar: a `Character` would hide a quote followed by a combining mark.
  private static func doubled(_ mark: Unicode.Scalar, in text: String) -> String {
    text.unicodeScalars.map { $0 == mark ? "\(mark)\(mark)" : "\($0)" }.joined()
  }
}

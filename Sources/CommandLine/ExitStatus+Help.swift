package import System
internal import Text

extension ExitStatus {
  /// The table of exit statuses for `--help`.
  package static var table: String {
    // Lines are short, because ArgumentParser wraps long lines without indenting the continuation lines.
    "EXIT STATUS:\n"
      + allCases.map { "  " + String($0.rawValue).padded(to: 4) + $0.meaning }.joined(separator: "\n")
  }
}

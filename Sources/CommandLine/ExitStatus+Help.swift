package import System
internal import Text

extension ExitStatus {
  /// The table for `--help`.
  package static var table: String {
    // One short line each: ArgumentParser would break longer ones without indenting the rest.
    "EXIT STATUS:\n"
      + allCases.map { "  " + String($0.rawValue).padded(to: 4) + $0.meaning }.joined(separator: "\n")
  }
}

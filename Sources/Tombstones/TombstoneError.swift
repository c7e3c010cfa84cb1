package import System

/// An error about a pipeline's tombstones. If the tombstones cannot be read (`key`, `damaged`, `missing`),
/// the program must stop. Otherwise, an erased person could appear on lists again.
package struct TombstoneError: ErrorWithStatus, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error, which decides the exit status.
  package enum Code: Hashable, Sendable {
    /// The key is invalid, accessible to other users, or missing while there are tombstones. Exit status 78.
    case key
    /// The file of tombstones is damaged. Exit status 65.
    case damaged
    /// The tombstone to remove does not exist. Exit status 66.
    case absent
    /// The file of tombstones is missing, although the last complete run had tombstones. Exit status 66.
    case missing
  }

  package var code: Code
  package var path: String
  package var found: String
  package var nextStep: String

  package init(_ code: Code, _ path: String, _ found: String, nextStep: String) {
    (self.code, self.path, self.found, self.nextStep) = (code, path, found, nextStep)
  }

  package var exitStatus: ExitStatus {
    switch code {
    case .key: .badPipelineFile
    case .damaged: .badData
    case .absent, .missing: .missingInput
    }
  }

  package var description: String { "'\(path)': \(found). \(nextStep)" }
}

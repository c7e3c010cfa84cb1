package import System

/// Why the tombstones of a pipeline cannot be applied. The program must stop then, because an erased person would come back.
package struct TombstoneError: ErrorWithStatus, Hashable, Sendable, CustomStringConvertible {
  package enum Code: Hashable, Sendable {
    /// The key is readable by other users, missing while there are tombstones, or invalid (78).
    case key
    /// The file of tombstones is damaged (65).
    case damaged
    /// The tombstone to lift does not exist (66).
    case absent
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
    case .absent: .missingInput
    }
  }

  package var description: String { "'\(path)': \(found). \(nextStep)" }
}

package import System

/// Why the tombstones of a pipeline cannot be obeyed. Nothing may go on then: whoever asked to be erased would come back.
package struct TombstoneError: ErrorWithStatus, Hashable, Sendable, CustomStringConvertible {
  package enum Code: Hashable, Sendable {
    /// Others may read the key, or it is missing while there are tombstones, or is no key (78).
    case key
    /// The file of tombstones is damaged (65).
    case damaged
    /// There is no such tombstone to lift (66).
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

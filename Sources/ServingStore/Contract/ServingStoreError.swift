package import System

/// The reason why a serving store, or the rankings to publish, cannot be used.
///
/// Messages never contain ids, documents or statement arguments, which are personal data.
package struct ServingStoreError: ErrorWithStatus, Sendable, CustomStringConvertible {
  /// The kind of failure. Each case lists its exit status.
  package enum Code: Hashable, Sendable {
    /// The address is invalid (78).
    case badAddress
    /// The store cannot be opened or created, for example because of missing permissions, a rejected login or
    /// a missing library (69).
    case cannotOpen
    /// No server answers at the store's address (69).
    case unreachable
    /// The connection was lost during use. A new connection may succeed soon (69).
    case lost
    /// The store does not exist yet, and the requested `StoreAccess` does not allow its creation (69).
    case absent
    /// The address belongs to something other than a serving store (69).
    case notOurs
    /// A newer version of this program made the store (69).
    case newerSchema
    /// Another writer held the lock for longer than the timeout (75).
    case busy
    /// The store or one of its rules rejects the rows, the generation or a setting (69).
    case refused
    /// A guard of the pipeline file rejects the run (65).
    case guarded
    /// The store can be read but not written (69).
    case readOnly
    /// The store's disk, quota or memory is full (74).
    case full
    /// The store's contents are damaged (69).
    case corrupt
    /// Any other failure of the store (69).
    case failed
    /// A list, a matches file or the directory to publish does not exist (66).
    case missingRankings
    /// A rankings file is damaged or cannot be read (74).
    case unreadableRankings
    /// A rankings file is not in the format of the rank stage, because of damage or a bug (74).
    case corruptRankings
  }

  /// A place in a file of rankings. Lines are counted from 1.
  package struct Place: Hashable, Sendable {
    package var file: String
    package var line: Int?
  }

  package var code: Code
  /// The address of the store, or the path of the rankings if the store is not involved.
  package var address: String
  package var place: Place?
  /// The problem, as text without a period at the end.
  package var found: String
  /// The advice to the user, as text without a period at the end.
  package var nextStep: String

  package init(_ code: Code, address: String, place: Place? = nil, found: String, nextStep: String) {
    self.code = code
    self.address = address
    self.place = place
    self.found = found
    self.nextStep = nextStep
  }

  package var exitStatus: ExitStatus {
    switch code {
    case .badAddress: .badPipelineFile
    case .busy: .tryAgain
    case .guarded: .badData
    case .full, .unreadableRankings, .corruptRankings: .ioError
    case .missingRankings: .missingInput
    case .unreachable, .lost, .absent, .cannotOpen, .notOurs, .newerSchema, .refused, .readOnly, .corrupt,
      .failed:
      .storeUnavailable
    }
  }

  /// The message as one line: the place, the problem, and the next step.
  package var description: String {
    guard let place else { return "\(address): \(found); \(nextStep)" }
    guard let line = place.line else { return "\(place.file): \(found); \(nextStep)" }
    return "\(place.file):\(line): \(found); \(nextStep)"
  }
}

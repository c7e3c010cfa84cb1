package import System

/// Why a serving store, or the rankings that were to go into it, could not be used.
///
/// Whatever the code, a failed publish leaves the store serving what it served before. Messages never hold
/// ids, documents or statement arguments: people are in them.
package struct ServingStoreError: ErrorWithStatus, Sendable, CustomStringConvertible {
  /// The kind of failure, for callers to switch on. Each case lists its exit status.
  package enum Code: Hashable, Sendable {
    /// The address is not one (78).
    case badAddress
    /// The store is not there, or the system does not let us open or create it (69).
    case cannotOpen
    /// Nothing answers at the store's address (69).
    case unreachable
    /// The connection went while it was in use: it may be back in a moment (69).
    case lost
    /// There is no store yet, and it is to be read from (69).
    case absent
    /// The address holds something other than a serving store (69).
    case notOurs
    /// The store was made by a newer version (69).
    case newerSchema
    /// Another writer held the lock for longer than the timeout (75).
    case busy
    /// The store, or a rule of it, rejected the loaded rows (69).
    case refused
    /// A guard of the pipeline file did not let it pass (65).
    case guarded
    /// The store can be read but not written (69).
    case readOnly
    /// The store's disk, or its quota, is full (74).
    case full
    /// The store's contents are damaged (69).
    case corrupt
    /// Any other failure of the store (69).
    case failed
    /// A list, a matches file or the directory to publish does not exist (66).
    case missingRankings
    /// A rankings file cannot be read (74).
    case unreadableRankings
    /// A rankings file is not what the rank stage writes: a bug of ours, or damage (70).
    case corruptRankings
  }

  /// Where in a file of rankings. Lines count from 1.
  package struct Place: Hashable, Sendable {
    package var file: String
    package var line: Int?
  }

  package var code: Code
  /// The store's address, or the rankings directory if the store has no part in it.
  package var address: String
  package var place: Place?
  /// The problem, in words.
  package var found: String
  /// What the reader of the message can do about it.
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
    case .full, .unreadableRankings: .ioError
    case .missingRankings: .missingInput
    case .corruptRankings: .internalError
    case .unreachable, .lost, .absent, .cannotOpen, .notOurs, .newerSchema, .refused, .readOnly, .corrupt,
      .failed:
      .storeUnavailable
    }
  }

  /// One line: the place, the problem, and the next step.
  package var description: String {
    guard let place else { return "\(address): \(found); \(nextStep)" }
    guard let line = place.line else { return "\(place.file): \(found); \(nextStep)" }
    return "\(place.file):\(line): \(found); \(nextStep)"
  }
}

/// The stages of a run, in order.
package enum Stage: String, CaseIterable, Sendable {
  case ingest, index, fit, rank, evaluate, publish

  /// The command that runs the stage alone.
  package var command: String { "nightjar " + rawValue }

  /// The name of the directory that the stage writes in the run directory; empty for publish, which writes to
  /// stores.
  package var directory: String {
    switch self {
    case .ingest: "snapshot"
    case .index: "index"
    case .fit: "models"
    case .rank: "rankings"
    case .evaluate: "evaluation"
    case .publish: ""
    }
  }
}

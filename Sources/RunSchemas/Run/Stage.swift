/// The stages in their order.
package enum Stage: String, CaseIterable, Sendable {
  case ingest, index, fit, rank, evaluate, publish

  package var executable: String { "nightjar-" + rawValue }

  /// The directory that the stage writes; publish writes to the store.
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

import Files
import Text

extension Manifest {
  /// A minimal manifest for tests that check other files of a stage directory.
  static let plain = Manifest(
    tool: "test", stage: "stage", pipeline: "p", configuration: .null, asOf: Instant(milliseconds: 0),
    seed: 0,
    counts: .null)
}

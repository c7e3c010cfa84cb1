import Files
import Text

extension Manifest {
  /// A minimal manifest, for tests of the other contents of a directory.
  static let plain = Manifest(
    tool: "test", stage: "stage", pipeline: "p", configuration: .null, asOf: Instant(milliseconds: 0),
    seed: 0,
    counts: .null)
}

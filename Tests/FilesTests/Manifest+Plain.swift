import Files
import Text

extension Manifest {
  /// A manifest that says nothing, for directories whose content is what a test is about.
  static let plain = Manifest(
    tool: "test", stage: "stage", pipeline: "p", configuration: .null, asOf: Instant(milliseconds: 0),
    seed: 0,
    counts: .null)
}

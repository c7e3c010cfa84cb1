/// The tool's name and version in manifests.
package enum Tool {
  package static let version = "0.2.0"
  package static let name = "nightjar \(version)"
}

/// What stands in manifests as the maker.
package enum Tool {
  package static let version = "0.1.0"
  package static let name = "nightjar \(version)"
}

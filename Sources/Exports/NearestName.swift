/// The name in `names` that `name` is most likely a misspelling of, or `nil` where none is near.
package func nearestName(to name: String, among names: some Sequence<String>) -> String? {
  names.first { $0.hasPrefix(name.prefix(2)) }
}

/// A UUID computed from names (RFC 9562, version 8), so that an object has the same id in every file that
/// refers to it.
package struct NamedUUID: Hashable, Sendable, CustomStringConvertible {
  /// The UUID in lowercase, as in `24406158-0011-8822-ae0e-e34afa0f7dc3`.
  package let description: String

  /// Creates the id of the object with the names `parts`. Different lists of names have different ids.
  package init(of parts: String...) {
    var digits = Array(
      SHA256.digest(of: Array(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8)).prefix(32))
    digits[12] = "8"
    digits[16] = "a"
    let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
    description = groups.joined(separator: "-")
  }

  /// Creates the UUID `text`. Returns `nil` if `text` is not a UUID in lowercase.
  package init?(_ text: String) {
    guard text.utf8.count == 36,
      text.split(separator: "-", omittingEmptySubsequences: false).map(\.utf8.count) == [8, 4, 4, 4, 12],
      text.utf8.allSatisfy({ "0123456789abcdef-".utf8.contains($0) })
    else { return nil }
    description = text
  }
}

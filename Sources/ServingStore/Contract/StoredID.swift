internal import Text

/// An id in a store: UTF-8 bytes, compared and ordered as bytes.
///
/// A `String` is unsuitable, because its `==` treats canonically equivalent ids of different people as equal.
package struct StoredID: Hashable, Sendable {
  /// The bytes of the id. Ids from a store are valid UTF-8 and not empty.
  package let utf8: [UInt8]

  /// Creates an id from bytes. Bytes that are not UTF-8 never match a stored id, because stores reject such
  /// ids.
  package init(utf8: [UInt8]) {
    self.utf8 = utf8
  }

  init(copying utf8: Span<UInt8>) {
    self.utf8 = Array(copying: utf8)
  }

  /// Creates an id from a text, without normalization.
  package init(_ text: String) {
    utf8 = Array(text.utf8)
  }

  /// The id as text, for display and JSON. Do not compare texts: `==` of texts differs from `==` of ids.
  package var text: String {
    String(decoding: utf8, as: UTF8.self)
  }
}

extension StoredID: Comparable {
  package static func < (left: StoredID, right: StoredID) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }
}

extension StoredID: ExpressibleByStringLiteral {
  package init(stringLiteral text: String) {
    self.init(text)
  }
}

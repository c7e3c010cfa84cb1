internal import Text

/// An id as stores keep it: UTF-8 bytes, equal and ordered as bytes.
///
/// `String` will not do: its `==` holds canonically equivalent ids of different people for the same.
package struct StoredID: Hashable, Sendable {
  /// The bytes. What a store returns is valid UTF-8 and not empty.
  package let utf8: [UInt8]

  /// The id of these bytes. Bytes that are not UTF-8 match no id, because a store refuses to load them.
  package init(utf8: [UInt8]) {
    self.utf8 = utf8
  }

  init(copying utf8: Span<UInt8>) {
    self.utf8 = Array(copying: utf8)
  }

  /// The id that this text spells, in the text's own normalisation form.
  package init(_ text: String) {
    utf8 = Array(text.utf8)
  }

  /// The id as text, for showing and for JSON. Do not compare it: see above.
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

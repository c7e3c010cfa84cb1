internal import Text

/// Bytes of a field, borrowed from the file or from the reader's scratch memory. They are UTF-8.
///
/// The type is not escapable, so the compiler rejects code in which a view outlives its record. Use `bytes`
/// or `string` for a copy.
package struct ByteView: ~Escapable {
  /// The bytes, without a copy.
  package let span: Span<UInt8>

  @_lifetime(copy span)
  @inlinable init(_ span: Span<UInt8>) {
    self.span = span
  }

  /// The number of bytes.
  package var count: Int { span.count }

  /// A copy of all bytes.
  package var bytes: [UInt8] { Array(copying: span) }

  /// A copy of the bytes as text.
  package var string: String { String(decoding: bytes, as: UTF8.self) }

  /// Returns the text for messages. A text of more than `limit` bytes is cut and ends with an ellipsis.
  package func excerpt(limit: Int = RecordFault.excerptLimit) -> String {
    let kept = span.excerpt(0..<span.count, limit: limit)
    return String(decoding: kept, as: UTF8.self) + (kept.count < span.count ? "…" : "")
  }

  /// Returns whether the bytes are the UTF-8 encoding of `text`. The text is not normalized, because ids are
  /// compared as bytes.
  package func equals(_ text: String) -> Bool {
    var index = 0
    for byte in text.utf8 {
      guard index < span.count, span[index] == byte else { return false }
      index += 1
    }
    return index == span.count
  }
}

extension Span<UInt8> {
  /// Returns a copy of at most `limit` bytes from the start of `range`. If the bytes are valid UTF-8, the
  /// copy ends between two characters.
  func excerpt(_ range: Range<Int>, limit: Int) -> [UInt8] {
    guard range.count > limit else { return Array(copying: extracting(range)) }
    var end = range.lowerBound + limit
    while end > range.lowerBound, self[end] & 0xC0 == 0x80 { end -= 1 }
    return Array(copying: extracting(range.lowerBound..<end))
  }
}

internal import CLinux

/// The order of ids: byte by byte, as in `memcmp`. A prefix precedes a longer id.
package enum ByteOrder {
  package static func precedes(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    let common = min(left.count, right.count)
    for index in 0..<common where left[index] != right[index] {
      return left[index] < right[index]
    }
    return left.count < right.count
  }

  package static func equal(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    for index in left.indices where left[index] != right[index] { return false }
    return true
  }
}

extension ByteOrder {
  /// Returns whether `part`, which must not be empty, occurs in `text`.
  package static func contains(_ part: [UInt8], in text: Span<UInt8>) -> Bool {
    unsafe text.withUnsafeBytes { text in
      unsafe part.withUnsafeBytes { part in
        unsafe linux_find(text.baseAddress, text.count, part.baseAddress, part.count) >= 0
      }
    }
  }
}

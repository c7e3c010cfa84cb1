internal import Glibc

extension Span<UInt8> {
  /// Returns the first index of `byte` at or after `start`; `nil` if `byte` does not occur there.
  ///
  /// - Complexity: O(n). The vectorized code of the C library is much faster than a loop.
  package func firstIndex(of byte: UInt8, from start: Int = 0) -> Int? {
    precondition((0...count).contains(start), "the start \(start) is outside 0...\(count)")
    return unsafe withUnsafeBytes { bytes -> Int? in
      guard start < bytes.count, let base = bytes.baseAddress else { return nil }
      let found = unsafe memchr(base + start, Int32(byte), bytes.count - start)
      return unsafe found.map { unsafe UnsafeRawPointer($0) - base }
    }
  }

  /// Returns the last index of `byte`; `nil` if `byte` does not occur.
  package func lastIndex(of byte: UInt8) -> Int? {
    var index = count
    while index > 0 {
      index -= 1
      if self[index] == byte { return index }
    }
    return nil
  }
}

extension [UInt8] {
  /// Copies the bytes of `span`.
  package init(copying span: Span<UInt8>) {
    self = unsafe span.withUnsafeBufferPointer { unsafe Array($0) }
  }
}

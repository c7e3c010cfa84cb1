extension [UInt8] {
  /// The bytes of a span.
  init(copying span: Span<UInt8>) {
    self = unsafe span.withUnsafeBufferPointer { unsafe Array($0) }
  }
}

extension Span<UInt8> {
  /// Whether the same bytes stand in `other`.
  func isEqual(to other: [UInt8]) -> Bool {
    guard count == other.count else { return false }
    for index in other.indices where self[index] != other[index] { return false }
    return true
  }
}

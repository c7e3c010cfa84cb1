extension Array {
  /// Reserves space for `count` elements. Growing discards the old elements; the array never shrinks.
  mutating func grow(to count: Int, filledWith value: Element) {
    // The array at least doubles, so that a series of growing problems rarely reallocates.
    if self.count < count { self = Array(repeating: value, count: Swift.max(count, 2 * self.count)) }
  }
}

extension Array where Element: AdditiveArithmetic {
  /// Reserves space for `count` elements, which are zeros if the array grows.
  mutating func grow(to count: Int) { grow(to: count, filledWith: .zero) }
}

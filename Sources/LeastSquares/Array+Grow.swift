extension Array {
  /// Grows the array to at least `count` elements. Growth discards the old elements; the array never shrinks.
  mutating func grow(to count: Int, filledWith value: Element) {
    // The length at least doubles, so that a series of growing problems rarely allocates memory.
    if self.count < count { self = Array(repeating: value, count: Swift.max(count, 2 * self.count)) }
  }
}

extension Array where Element: AdditiveArithmetic {
  /// Grows the array to at least `count` elements. If it grows, all elements are 0.
  mutating func grow(to count: Int) { grow(to: count, filledWith: .zero) }
}

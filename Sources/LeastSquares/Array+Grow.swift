extension Array {
  /// Makes room for `count` elements. The old ones are lost when it grows; it never shrinks.
  mutating func grow(to count: Int, filledWith value: Element) {
    // By doubling: problems come in any order of size.
    if self.count < count { self = Array(repeating: value, count: Swift.max(count, 2 * self.count)) }
  }
}

extension Array where Element: AdditiveArithmetic {
  /// Makes room for `count` elements, zeros when it grows.
  mutating func grow(to count: Int) { grow(to: count, filledWith: .zero) }
}

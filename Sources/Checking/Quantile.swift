extension Array where Element: Comparable {
  /// Returns the quantile by nearest rank: the smallest element that is at least as large as `percent` % of
  /// the elements. The result is `nil` for an empty array.
  ///
  /// The array must be in ascending order. The result is always an element, never the mean of two elements.
  func quantile(_ percent: Int) -> Element? {
    precondition((0...100).contains(percent), "percent must be 0 to 100, not \(percent)")
    guard !isEmpty else { return nil }
    // The count is divided by 100 first, because its product with `percent` could overflow.
    let (hundreds, rest) = count.quotientAndRemainder(dividingBy: 100)
    let rank = hundreds * percent + (rest * percent + 99) / 100
    return self[Swift.max(rank - 1, 0)]
  }

  /// The median by nearest rank; `nil` for an empty array. The array must be in ascending order.
  var median: Element? { quantile(50) }
}

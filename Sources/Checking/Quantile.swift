extension Array where Element: Comparable {
  /// The smallest element that at least `percent` % of the elements do not exceed (nearest rank); `nil` for
  /// an empty array.
  ///
  /// The array must be in ascending order. The result is always an element, never the mean of two.
  func quantile(_ percent: Int) -> Element? {
    precondition((0...100).contains(percent), "\(percent) %")
    guard !isEmpty else { return nil }
    // The code does not multiply by the count, because the product could overflow.
    let (hundreds, rest) = count.quotientAndRemainder(dividingBy: 100)
    let rank = hundreds * percent + (rest * percent + 99) / 100
    return self[Swift.max(rank - 1, 0)]
  }

  /// The same as `quantile(50)`.
  var median: Element? { quantile(50) }
}

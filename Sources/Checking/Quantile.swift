extension Array where Element: Comparable {
  /// The smallest element that `percent` % of the elements do not exceed (the nearest rank); `nil` of none.
  ///
  /// The array is in ascending order. The answer is always an element: no mean of two.
  func quantile(_ percent: Int) -> Element? {
    precondition((0...100).contains(percent), "\(percent) %")
    guard !isEmpty else { return nil }
    // Without a product of the count, which need not fit.
    let (hundreds, rest) = count.quotientAndRemainder(dividingBy: 100)
    let rank = hundreds * percent + (rest * percent + 99) / 100
    return self[Swift.max(rank - 1, 0)]
  }

  /// As `quantile(50)`.
  var median: Element? { quantile(50) }
}

extension RandomAccessCollection {
  /// Returns the first index whose element satisfies `isInSecondPart`; `endIndex` if no element does. All
  /// binary searches in Nightjar use this method.
  ///
  /// The method has the same name and meaning as a method of swift-algorithms. The programs do not link that
  /// package, because a Swift program scans all linked protocol conformances at startup. With the package,
  /// `nightjar index` executed 9 % more instructions.
  ///
  /// - Parameter isInSecondPart: Must return false for the elements before some index, and true for all later
  ///   elements.
  /// - Returns: An index of the collection, or `endIndex`.
  /// - Complexity: O(log n).
  @inlinable
  public func partitioningIndex(where isInSecondPart: (Element) throws -> Bool) rethrows -> Index {
    var start = startIndex
    var rest = count
    while rest > 0 {
      let half = rest / 2
      let middle = index(start, offsetBy: half)
      if try isInSecondPart(self[middle]) {
        rest = half
      } else {
        start = index(after: middle)
        rest -= half + 1
      }
    }
    return start
  }
}

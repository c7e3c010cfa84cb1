extension Sequence {
  /// Returns the elements in the order of `precedes`. Equal elements keep their order.
  func stablySorted(by precedes: (Element, Element) -> Bool) -> [Element] {
    enumerated().sorted { left, right in
      if precedes(left.element, right.element) { return true }
      return !precedes(right.element, left.element) && left.offset < right.offset
    }.map(\.element)
  }
}

internal import Features

/// Properties that test for one case by pattern matching. Comparing another module's enumeration with `==`
/// calls through its witness table, which is too slow for hot loops.
extension SearchForm {
  @inline(__always) var isCode: Bool { if case .code = self { true } else { false } }
  @inline(__always) var isAbsoluteDifference: Bool {
    if case .absoluteDifference = self { true } else { false }
  }
  @inline(__always) var isVector: Bool { if case .vector = self { true } else { false } }
}

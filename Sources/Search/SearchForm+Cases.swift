internal import Features

/// Tests of one case by pattern matching. `==` of another module's enumeration is a call through its witness
/// table, which is too slow for hot loops.
extension SearchForm {
  @inline(__always) var isCode: Bool { if case .code = self { true } else { false } }
  @inline(__always) var isAbsoluteDifference: Bool {
    if case .absoluteDifference = self { true } else { false }
  }
  @inline(__always) var isVector: Bool { if case .vector = self { true } else { false } }
}

internal import Features

/// Tests of one case, by pattern: `==` of another module's enumeration is a call through its witness table, which hot
/// loops cannot afford.
extension SearchForm {
  @inline(__always) var isCode: Bool { if case .code = self { true } else { false } }
  @inline(__always) var isAbsoluteDifference: Bool {
    if case .absoluteDifference = self { true } else { false }
  }
  @inline(__always) var isVector: Bool { if case .vector = self { true } else { false } }
}

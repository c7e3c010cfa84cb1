/// A seeded random number generator whose stream is the same on every machine.
///
/// Use it for synthetic exports and property tests, but not for secrets. The numbers of the standard
/// library's generator cannot be reproduced, because the system seeds that generator.
///
/// Source: Steele, Lea and Flood 2014, doi:10.1145/2660193.2660195.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    defer { state &+= Mix64.increment }
    return Mix64.finalized(state)
  }

  /// Returns the next number in [0, 1), a multiple of 2⁻⁵³.
  package mutating func nextUnit() -> Double {
    Double(next() >> 11) * 0x1p-53
  }
}

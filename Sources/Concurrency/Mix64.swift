/// 64-bit mixing and hash functions. Unlike `Hasher`, they return the same results in every process.
///
/// The functions are not cryptographic: an attacker who knows the seed can find ids that collide. `finalized`
/// is public, because the compiler inlines only public functions in other modules.
public enum Mix64 {
  /// The step of SplitMix64's counter: 2⁶⁴ divided by the golden ratio, rounded to an odd number.
  @usableFromInline static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// SplitMix64's output function: a bijection in which every input bit affects every output bit.
  @inlinable @inline(__always)
  public static func finalized(_ value: UInt64) -> UInt64 {
    var z = value &+ increment
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// Returns the FNV-1a hash of `bytes`.
  ///
  /// Source: the published parameters of FNV-1a for 64 bits (draft-eastlake-fnv).
  package static func hash(_ bytes: Span<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in bytes.indices {
      hash = (hash ^ UInt64(bytes[index])) &* 0x0000_0100_0000_01B3
    }
    return hash
  }

  /// Returns a hash of an ordered pair of hashed ids and a seed. For different ids, `pair(a, b)` and
  /// `pair(b, a)` are equal only by chance.
  package static func pair(_ first: UInt64, _ second: UInt64, seed: UInt64) -> UInt64 {
    finalized(finalized(first ^ seed) &+ second)
  }
}

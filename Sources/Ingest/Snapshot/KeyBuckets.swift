/// Divides the keys 0, 1, 2 and so on into buckets of consecutive keys, as the first step of a sort by key.
/// Different threads then sort different buckets. Each bucket fits in a CPU cache.
struct KeyBuckets: Sendable {
  private let shift: Int
  let count: Int

  /// Creates buckets for the keys 0 to `keys - 1`. The number of buckets is large enough that each bucket is
  /// small and a key's index in its bucket fits in 16 bits.
  init(keys: Int) {
    // This shift results in 256 to 512 buckets, except for fewer than 256 keys or more than 2²⁵ keys.
    shift = min(16, max(0, Int.bitWidth - keys.leadingZeroBitCount - 9))
    count = max(1, (keys + (1 << shift) - 1) >> shift)
  }

  @inline(__always)
  func bucket(of key: UInt32) -> Int { Int(key) &>> shift }

  /// Returns the key's index in its bucket.
  @inline(__always)
  func place(of key: UInt32) -> UInt16 { UInt16(truncatingIfNeeded: Int(key) & (1 &<< shift &- 1)) }

  /// Returns the key at the index `place` of a bucket.
  @inline(__always)
  func key(_ place: UInt16, in bucket: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: bucket &<< shift) &+ UInt32(place)
  }

  /// Returns the keys of a bucket; `keys` is the total number of keys.
  func keys(of bucket: Int, under keys: Int) -> Range<Int> {
    bucket << shift..<min(keys, (bucket + 1) << shift)
  }
}

/// Divides the keys 0, 1, 2 and so on into buckets of consecutive keys, as the first step of a sort by key.
/// Different threads then sort different buckets. Each bucket fits in a CPU cache.
struct KeyBuckets: Sendable {
  private let shift: Int
  let count: Int

  /// Creates buckets for the keys 0 to `keys - 1`. The number of buckets is large enough that each bucket is
  /// small and a key's index in its bucket fits in 16 bits.
  init(keys: Int) {
    // This makes 256 to 512 buckets, unless there are very few or very many keys.
    shift = min(16, max(0, Int.bitWidth - keys.leadingZeroBitCount - 9))
    count = max(1, (keys + (1 << shift) - 1) >> shift)
  }

  @inline(__always)
  func bucket(of key: UInt32) -> Int { Int(key) &>> shift }

  /// The key's index in its bucket.
  @inline(__always)
  func place(of key: UInt32) -> UInt16 { UInt16(truncatingIfNeeded: Int(key) & (1 &<< shift &- 1)) }

  /// The key at the index `place` of a bucket.
  @inline(__always)
  func key(_ place: UInt16, in bucket: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: bucket &<< shift) &+ UInt32(place)
  }

  /// The keys of a bucket; `keys` is the total number of keys.
  func keys(of bucket: Int, under keys: Int) -> Range<Int> {
    bucket << shift..<min(keys, (bucket + 1) << shift)
  }

  /// Computes where the elements of each part of the input start in each bucket, and where each bucket
  /// starts.
  ///
  /// - Parameter histograms: The number of elements of each part in each bucket, by part and then by bucket.
  /// - Returns: Indices in the concatenation of all buckets. Each bucket has its elements in input order.
  ///   `ofBuckets` ends with the number of all elements.
  func starts(_ histograms: [[Int]]) -> (ofParts: [[Int]], ofBuckets: [Int]) {
    var starts = histograms
    var ofBuckets = [0]
    var next = 0
    for bucket in 0..<count {
      for part in histograms.indices {
        starts[part][bucket] = next
        next += histograms[part][bucket]
      }
      ofBuckets.append(next)
    }
    return (starts, ofBuckets)
  }
}

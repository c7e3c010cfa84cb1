/// Divides consecutive keys from 0 on into buckets, as the first step of a sort by key. Different threads
/// then sort the buckets. Each bucket fits in a CPU cache.
struct KeyBuckets: Sendable {
  private let shift: Int
  let count: Int

  /// Creates buckets for the keys 0 to `keys - 1`. There are so many buckets that a key's index in its bucket
  /// fits in 16 bits and each bucket is small.
  init(keys: Int) {
    // This makes 256 to 512 buckets, unless the keys are very few or very many.
    shift = min(16, max(0, Int.bitWidth - keys.leadingZeroBitCount - 9))
    count = max(1, (keys + (1 << shift) - 1) >> shift)
  }

  @inline(__always)
  func bucket(of key: UInt32) -> Int { Int(key) &>> shift }

  /// The key's index in its bucket.
  @inline(__always)
  func place(of key: UInt32) -> UInt16 { UInt16(truncatingIfNeeded: Int(key) & (1 &<< shift &- 1)) }

  /// The key at an index of a bucket.
  @inline(__always)
  func key(_ place: UInt16, in bucket: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: bucket &<< shift) &+ UInt32(place)
  }

  /// The keys of a bucket; `keys` is the total number of keys.
  func keys(of bucket: Int, under keys: Int) -> Range<Int> {
    bucket << shift..<min(keys, (bucket + 1) << shift)
  }

  /// Where the elements of each part of the input start in each bucket, and where each bucket starts.
  ///
  /// - Parameter histograms: By part, then by bucket: the number of elements.
  /// - Returns: Indices in the concatenation of all buckets, each with its elements in input order.
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

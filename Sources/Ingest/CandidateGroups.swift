/// Indices of interactions grouped by candidate, each group in ascending order: in parts, which follow each other in the
/// table and have their rows by bucket of the candidate, and then a bucket at a time.
struct CandidateGroups: Sendable {
  /// Some rows that follow each other in the table.
  struct Part: Sendable {
    /// By bucket, each bucket in the order of the table: the index in the table, and the candidate's place in the bucket.
    fileprivate var numbers: [UInt32] = []
    fileprivate var places: [UInt16] = []
    /// Bucket `b` is `numbers[starts[b]..<starts[b + 1]]`.
    fileprivate var starts: [UInt32] = []

    init() {}

    /// - Parameters:
    ///   - candidates: The candidates of the rows.
    ///   - first: The index of the first of them in the table.
    ///   - buckets: Of candidates.
    init(_ candidates: [UInt32], from first: Int, _ buckets: Buckets) {
      var next = [UInt32](repeating: 0, count: buckets.count + 1)
      for candidate in candidates { next[buckets.bucket(of: candidate) + 1] += 1 }
      for bucket in 0..<buckets.count { next[bucket + 1] += next[bucket] }
      starts = next
      numbers = [UInt32](repeating: 0, count: candidates.count)
      places = [UInt16](repeating: 0, count: candidates.count)
      for (index, candidate) in candidates.enumerated() {
        let bucket = buckets.bucket(of: candidate)
        let target = Int(next[bucket])
        next[bucket] += 1
        numbers[target] = UInt32(first + index)
        places[target] = buckets.place(of: candidate)
      }
    }

    fileprivate func range(_ bucket: Int) -> Range<Int> { Int(starts[bucket])..<Int(starts[bucket + 1]) }
  }

  let buckets: Buckets
  private let count: Int
  private let parts: [Part]
  /// Where each bucket begins.
  private let starts: [Int]
  /// The group of candidate `c` is `offsets[c]..<offsets[c + 1]`, once all buckets were sorted.
  let offsets: SharedColumn<UInt64>

  /// - Parameters:
  ///   - parts: All of the table, in its order.
  ///   - buckets: Of candidates, with which they were made.
  ///   - count: How many candidates there are.
  init(_ parts: [Part], _ buckets: Buckets, count: Int) {
    self.parts = parts
    self.buckets = buckets
    self.count = count
    var starts = [0]
    for bucket in 0..<buckets.count {
      starts.append(starts[bucket] + parts.reduce(0) { $0 + $1.range(bucket).count })
    }
    self.starts = starts
    offsets = SharedColumn(count: count + 1)
    offsets[count] = UInt64(starts[buckets.count])
  }

  /// The members of the groups of a bucket, one group behind the other; sets their offsets.
  func members(_ bucket: Int) -> [UInt32] {
    let keys = buckets.keys(of: bucket, under: count)
    var next = [Int](repeating: 0, count: keys.count + 1)
    for part in parts {
      for index in part.range(bucket) { next[Int(part.places[index]) + 1] += 1 }
    }
    for key in 0..<keys.count {
      offsets[keys.lowerBound + key] = UInt64(starts[bucket] + next[key])
      next[key + 1] += next[key]
    }
    var members = [UInt32](repeating: 0, count: starts[bucket + 1] - starts[bucket])
    for part in parts {
      for index in part.range(bucket) {
        let key = Int(part.places[index])
        members[next[key]] = part.numbers[index]
        next[key] += 1
      }
    }
    return members
  }
}

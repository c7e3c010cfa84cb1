internal import Reproducible

/// Indices of interactions grouped by candidate, each group in ascending order.
struct CandidateGroups: Sendable {
  /// The group of candidate `c` is `members[offsets[c]..<offsets[c + 1]]`.
  let offsets: SharedColumn<UInt64>
  let members: SharedColumn<UInt32>

  private struct Bucketed: BitwiseCopyable {
    var number: UInt32
    /// The candidate's place in the bucket.
    var place: UInt16
  }

  /// Groups the indices of `candidates`, which are under `count`: into buckets of candidates first, then each bucket.
  init(_ candidates: SharedColumn<UInt32>, count: Int, threads: Int) {
    let buckets = Buckets(keys: count)
    let chunk = 1 << 16
    let histograms = parallelMap(count: candidates.count, chunkSize: chunk, threads: threads) { range in
      var histogram = [Int](repeating: 0, count: buckets.count)
      for index in range { histogram[buckets.bucket(of: candidates[index])] += 1 }
      return histogram
    }
    let (starts, ofBuckets) = buckets.starts(histograms)
    let bucketed = SharedColumn<Bucketed>(count: candidates.count)
    _ = parallelMap(count: candidates.count, chunkSize: chunk, threads: threads) { range in
      var next = starts[range.lowerBound / chunk]
      for index in range {
        let candidate = candidates[index]
        let bucket = buckets.bucket(of: candidate)
        let target = next[bucket]
        next[bucket] = target + 1
        bucketed[target] = Bucketed(number: UInt32(index), place: buckets.place(of: candidate))
      }
    }
    offsets = SharedColumn(count: count + 1)
    offsets[count] = UInt64(candidates.count)
    members = SharedColumn(count: candidates.count)
    let (offsets, members) = (offsets, members)
    _ = parallelMap(count: buckets.count, chunkSize: 1, threads: threads) { bucket in
      let range = ofBuckets[bucket.lowerBound]..<ofBuckets[bucket.upperBound]
      let keys = buckets.keys(of: bucket.lowerBound, under: count)
      var next = [Int](repeating: 0, count: keys.count + 1)
      for index in range { next[Int(bucketed[index].place) + 1] += 1 }
      next[0] = range.lowerBound
      for key in 0..<keys.count {
        offsets[keys.lowerBound + key] = UInt64(next[key])
        next[key + 1] += next[key]
      }
      for index in range {
        let key = Int(bucketed[index].place)
        members[next[key]] = bucketed[index].number
        next[key] += 1
      }
    }
  }
}

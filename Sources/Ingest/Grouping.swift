/// Numbers grouped by a key, each group in ascending order: a counting sort, linear in the numbers and the keys.
struct Grouping {
  /// Group `k` is `members[offsets[k]..<offsets[k + 1]]`.
  let offsets: [UInt64]
  let members: [UInt32]

  /// Groups the indices of `keys`, which are under `count`.
  init(_ keys: [UInt32], count: Int) {
    self.init(count: count) { group in
      for (index, key) in keys.enumerated() { group(UInt32(index), key) }
    }
  }

  /// Groups what `each` hands out, the same twice.
  ///
  /// - Parameters:
  ///   - count: All keys are under it.
  ///   - each: Calls its argument with each number, in ascending order, and its key.
  init(count: Int, _ each: ((_ number: UInt32, _ key: UInt32) -> Void) -> Void) {
    var offsets = [UInt64](repeating: 0, count: count + 1)
    each { _, key in offsets[Int(key) + 1] += 1 }
    for key in 0..<count { offsets[key + 1] += offsets[key] }
    var members = [UInt32](repeating: 0, count: Int(offsets[count]))
    var next = offsets
    each { number, key in
      members[Int(next[Int(key)])] = number
      next[Int(key)] += 1
    }
    self.offsets = offsets
    self.members = members
  }
}

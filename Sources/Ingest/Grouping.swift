/// Numbers grouped by a key, each group in ascending order: a counting sort, linear in the numbers and the keys.
struct Grouping {
  /// Group `k` is `members[offsets[k]..<offsets[k + 1]]`.
  let offsets: [UInt64]
  private(set) var members: [UInt32]

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

  /// The offsets alone, of `keys` that are under `count`.
  static func offsets(of keys: [UInt32], count: Int) -> [UInt64] {
    var offsets = [UInt64](repeating: 0, count: count + 1)
    for key in keys { offsets[Int(key) + 1] += 1 }
    for key in 0..<count { offsets[key + 1] += offsets[key] }
    return offsets
  }

  /// Sorts the members of each group; most exports come sorted, which costs one look.
  mutating func sortMembers(by precedes: (UInt32, UInt32) -> Bool) {
    for key in 0..<offsets.count - 1 {
      let range = Int(offsets[key])..<Int(offsets[key + 1])
      let isSorted = range.dropFirst().allSatisfy { !precedes(members[$0], members[$0 - 1]) }
      if !isSorted { members[range].sort(by: precedes) }
    }
  }

  /// The key of each member.
  var keys: [UInt32] {
    var keys: [UInt32] = []
    keys.reserveCapacity(members.count)
    for key in 0..<offsets.count - 1 {
      keys.append(contentsOf: repeatElement(UInt32(key), count: Int(offsets[key + 1] - offsets[key])))
    }
    return keys
  }
}

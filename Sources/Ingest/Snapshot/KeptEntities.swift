/// The entities of a kind that are in the snapshot, and their rows.
struct KeptEntities: Sendable {
  /// Whether an entity is kept, by number of its id. Ids are numbered in the order of first occurrence.
  let isKept: [Bool]
  /// By rank of the id, the row in the snapshot's table or `noRow`.
  let rowOfRank: [UInt32]
  /// The number of kept entities.
  let count: Int
  static let noRow = UInt32.max

  init(_ isKept: [Bool], _ ids: RankedIdentities) {
    self.isKept = isKept
    if isKept.allSatisfy(\.self) {
      count = isKept.count
      rowOfRank = Array(0..<UInt32(count))
      return
    }
    var next: UInt32 = 0
    rowOfRank = ids.numbers.map { number in
      guard isKept[Int(number)] else { return Self.noRow }
      next += 1
      return next - 1
    }
    count = Int(next)
  }

  /// The numbers of the kept `ids`, in the order of the snapshot's table.
  func numbers(among ids: RankedIdentities) -> [UInt32] {
    keepsAll ? ids.numbers : ids.numbers.filter { isKept[Int($0)] }
  }

  var keepsAll: Bool { count == isKept.count }
}

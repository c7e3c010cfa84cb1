/// The ids of an entity that are in the snapshot, and their rows.
struct KeptEntities: Sendable {
  /// Whether each id is kept, by the number of the id. Ids are numbered in the order of first occurrence.
  let isKept: [Bool]
  /// The row of each id in the snapshot's table, by the rank of the id; `noRow` if the id is not kept. The
  /// rank of an id is its index in byte order.
  let rowOfRank: [UInt32]
  /// The number of kept ids.
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

  /// Returns the numbers of the kept `ids`, in the order of the snapshot's table.
  func numbers(among ids: RankedIdentities) -> [UInt32] {
    keepsAll ? ids.numbers : ids.numbers.filter { isKept[Int($0)] }
  }

  var keepsAll: Bool { count == isKept.count }
}

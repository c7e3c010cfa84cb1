/// Collects the rows of one block, and puts them by bucket of the user at its end.
struct InteractionPart {
  private let buckets: Buckets
  private let isCoded: Bool
  private let keepsOrder: Bool
  private let keepsItems: Bool
  private var items: [UInt32] = []
  private var users: [UInt32] = []
  private var rows: [InteractionColumns.Packed] = []
  private var values: [Double] = []
  private var newest = Int64.min

  /// - Parameters:
  ///   - buckets: Of the ranks of users.
  ///   - isCoded: Whether values are told by their place among few.
  ///   - keepsOrder: Whether somebody will ask for rows in input order.
  ///   - keepsItems: With `keepsOrder`: whether somebody will ask what a row was with.
  init(_ buckets: Buckets, isCoded: Bool, keepsOrder: Bool, keepsItems: Bool = false) {
    precondition(keepsOrder || !keepsItems, "rows that tell what they were with are moved in order")
    self.keepsItems = keepsItems
    self.buckets = buckets
    self.isCoded = isCoded
    self.keepsOrder = keepsOrder
    users.reserveCapacity(1 << 14)
    rows.reserveCapacity(1 << 14)
  }

  @inline(__always)
  mutating func append(
    user: UInt32, candidate: UInt32, at: Int64, code: UInt8, value: Double, item: UInt32 = 0
  ) {
    users.append(user)
    rows.append(
      InteractionColumns.Packed(at: at, candidate: candidate, place: buckets.place(of: user), code: code))
    if !isCoded { values.append(value) }
    if keepsItems { items.append(item) }
    newest = max(newest, at)
  }

  /// The rows by bucket, in arrays without spare room: there will be many parts.
  consuming func finish() -> InteractionColumns.Part {
    var next = [UInt32](repeating: 0, count: buckets.count + 1)
    for user in users { next[buckets.bucket(of: user) + 1] += 1 }
    for bucket in 0..<buckets.count { next[bucket + 1] += next[bucket] }
    let starts = next
    if isCoded, !keepsOrder, let first = rows.first {
      var moved = [InteractionColumns.Packed](repeating: first, count: rows.count)
      for (user, row) in zip(users, rows) {
        let bucket = buckets.bucket(of: user)
        moved[Int(next[bucket])] = row
        next[bucket] += 1
      }
      return InteractionColumns.Part(rows: moved, starts: starts, newest: newest)
    }
    var order: [UInt32] = []
    order.reserveCapacity(users.count)
    for user in users {
      let bucket = buckets.bucket(of: user)
      order.append(next[bucket])
      next[bucket] += 1
    }
    return InteractionColumns.Part(
      rows: Self.moved(rows, order), values: Self.moved(values, order), items: Self.moved(items, order),
      starts: starts, order: keepsOrder ? order : [], newest: newest)
  }

  /// `elements`, each at its place in `order`; nothing where there are none.
  private static func moved<Element: BitwiseCopyable>(_ elements: [Element], _ order: [UInt32]) -> [Element] {
    guard let first = elements.first else { return [] }
    var moved = [Element](repeating: first, count: elements.count)
    for index in elements.indices { moved[Int(order[index])] = elements[index] }
    return moved
  }
}

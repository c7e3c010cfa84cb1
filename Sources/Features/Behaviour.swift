internal import Columns
internal import Glibc
internal import RunSchemas
internal import Text

/// What candidates did themselves: how much, and when last.
enum Behaviour {
  /// By candidate ln(1 + interactions that they did, of all kinds in `done`).
  static func activity(of count: Int, in done: [InteractionTable]) -> [Double] {
    (0..<count).map { row in
      log1p(Double(done.reduce(0) { $0 + $1.range(ofUser: row).count }))
    }
  }

  /// By candidate ln(1 + days since the last interaction that they did, as of `asOf`); NaN where there is none.
  static func recency(of count: Int, in done: [InteractionTable], asOf: Instant) -> [Double] {
    (0..<count).map { row in
      // In the order of time: the last of each kind is its newest.
      let newest = done.compactMap { table in table.range(ofUser: row).last.map { table.at[$0] } }.max()
      guard let newest else { return .nan }
      // The snapshot holds nothing that is later.
      return log1p(max(Double(asOf.milliseconds - newest), 0) / 86_400_000)
    }
  }
}

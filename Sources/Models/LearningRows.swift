internal import Columns
internal import Features
internal import Geohash
internal import RunSchemas

/// The rows of a regression: every interaction of a table as a row of the feature space.
package struct LearningRows: Sendable {
  let table: InteractionTable
  let space: FeatureSpace
  let source: LearningBlockSource

  init(table: InteractionTable, space: FeatureSpace) {
    self.table = table
    self.space = space
    source = LearningBlockSource(space, table)
  }

  /// The number of users per chunk of parallel work. It is fixed, because sums are computed per chunk, and
  /// their rounding must not depend on the number of threads.
  package static let chunkSize = 256

  /// Returns the number of users per chunk if the result of a chunk takes `bytes` bytes. All results stay in
  /// memory until they are added, so large results need fewer and larger chunks. The results take at most 64
  /// MiB, unless this limit allows fewer than 16 chunks.
  func chunkSize(bytes: Int) -> Int { Self.chunkSize(users: userCount, bytes: bytes) }

  static func chunkSize(users: Int, bytes: Int) -> Int {
    let chunks = max(16, (64 << 20) / max(1, bytes))
    return max(chunkSize, (users + chunks - 1) / chunks)
  }

  var userCount: Int { table.userOffsets.count - 1 }

  /// Returns the value that all interactions of `user` share; `nil` if the values differ or there are no
  /// interactions.
  func onlyValue(of user: Int) -> Double? {
    let (values, range) = (table.value.span, table.range(ofUser: user))
    guard let first = range.first else { return nil }
    for index in range where values[index] != values[first] { return nil }
    return values[first]
  }

  /// Returns a reader of single rows, for one worker.
  func reader() -> Reader { Reader(rows: self) }

  /// Reads single rows into a buffer that it reuses. For many rows, use `LearningBlock`.
  struct Reader {
    private let rows: LearningRows
    private var origin: DistanceOrigin?
    private var user = -1
    /// The values of the row, one per column of the feature space; NaN if missing.
    private(set) var values: [Double]

    fileprivate init(rows: LearningRows) {
      self.rows = rows
      values = [Double](repeating: .nan, count: rows.space.columns.count)
    }

    /// Reads row `index` of the table, an interaction of `user`, into `values`.
    mutating func read(_ index: Int, of user: Int) {
      if user != self.user {
        self.user = user
        origin = rows.space.users[user].map(DistanceOrigin.init)
      }
      let candidate = Int(rows.table.candidate[index])
      rows.space.fill(
        &values, user: user, candidate: candidate,
        distance: rows.space.candidates.distanceInKilometers(from: origin, to: candidate),
        learningFrom: index)
    }
  }
}

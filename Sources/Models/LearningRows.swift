internal import Columns
internal import Features
internal import Geohash
internal import RunSchemas

/// What is learned from: every interaction of a table as a row of the feature space.
package struct LearningRows: Sendable {
  let table: InteractionTable
  let space: FeatureSpace
  let source: LearningBlockSource

  init(table: InteractionTable, space: FeatureSpace) {
    self.table = table
    self.space = space
    source = LearningBlockSource(space, table)
  }

  /// Users per chunk of parallel work: fixed, as sums are made per chunk.
  package static let chunkSize = 256

  /// Users per chunk where each chunk's result takes `bytes`: more than usual where those are many, as all results wait
  /// to be added up. At most 64 MiB, but not fewer than 16 chunks, for as many threads.
  func chunkSize(bytes: Int) -> Int { Self.chunkSize(users: userCount, bytes: bytes) }

  static func chunkSize(users: Int, bytes: Int) -> Int {
    let chunks = max(16, (64 << 20) / max(1, bytes))
    return max(chunkSize, (users + chunks - 1) / chunks)
  }

  var userCount: Int { table.userOffsets.count - 1 }

  /// The value that all interactions of `user` share; `nil` if they differ or there are none.
  func onlyValue(of user: Int) -> Double? {
    let (values, range) = (table.value.span, table.range(ofUser: user))
    guard let first = range.first else { return nil }
    for index in range where values[index] != values[first] { return nil }
    return values[first]
  }

  /// One per worker.
  func reader() -> Reader { Reader(rows: self) }

  /// Reads rows one after the other into a buffer that it keeps: for few rows, `LearningBlock` is for many.
  struct Reader {
    private let rows: LearningRows
    private var origin: DistanceOrigin?
    private var user = -1
    /// By column of the space; NaN where it is missing.
    private(set) var values: [Double]

    fileprivate init(rows: LearningRows) {
      self.rows = rows
      values = [Double](repeating: .nan, count: rows.space.columns.count)
    }

    /// Reads the interaction `index`, which is of `user`.
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

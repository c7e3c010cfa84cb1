/// What a shape reads of each candidate when it writes learning rows: by column, by row of the candidate.
package struct LearningColumns {
  var codes: [UInt32]?
  var numbers: [[Double]] = []

  init(codes: [UInt32]? = nil, numbers: [[Double]] = []) {
    (self.codes, self.numbers) = (codes, numbers)
  }
}

/// The learning rows of one user, for a shape that writes its columns for them. One per worker, which keeps the buffers.
package struct LearningRowsOfUser {
  package internal(set) var user = 0
  /// Their indices in the table of interactions.
  package internal(set) var interactions = 0..<0
  /// By row; longer than there are rows.
  package internal(set) var candidates: [Int] = []
  /// By row: the code that `learningColumns` asks for.
  package internal(set) var codes: [UInt32] = []
  /// By column of the numbers that `learningColumns` asks for, `stride` elements after each other.
  package internal(set) var numbers: [Double] = []
  /// Rows that the buffers have room for.
  package internal(set) var stride = 0

  package var count: Int { interactions.count }
}

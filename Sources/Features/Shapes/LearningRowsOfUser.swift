/// The inputs that a shape reads when it writes learning rows: columns with one element per candidate.
package struct LearningColumns {
  var codes: [UInt32]?
  var numbers: [[Double]] = []

  init(codes: [UInt32]? = nil, numbers: [[Double]] = []) {
    (self.codes, self.numbers) = (codes, numbers)
  }
}

/// The learning rows of one user, from which a shape writes its columns. Each worker has its own instance and
/// reuses the buffers.
package struct LearningRowsOfUser {
  package internal(set) var user = 0
  /// The indices of the rows in the interaction table.
  package internal(set) var interactions = 0..<0
  /// The candidate of each row. The array may be longer than the number of rows.
  package internal(set) var candidates: [Int] = []
  /// The code of each row's candidate, from the codes of `learningColumns`.
  package internal(set) var codes: [UInt32] = []
  /// The number columns of `learningColumns`; each column starts `stride` elements after the previous one.
  package internal(set) var numbers: [Double] = []
  /// The number of rows that the buffers can hold.
  package internal(set) var stride = 0

  package var count: Int { interactions.count }
}

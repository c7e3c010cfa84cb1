internal import Columns
package import RunSchemas

/// Reads the learning rows of one user at a time into columns. A category has one column of codes instead of
/// hundreds of columns of numbers.
///
/// Reading allocates no memory once the buffers are large enough. Each worker has its own block. The block
/// contains the same values that `FeatureSpace.fill` writes row by row.
package struct LearningBlock {
  private let space: FeatureSpace
  private let records: CandidateRecords
  private let table: InteractionTable
  private let steps: [ReadingStep]

  /// The way to read one feature. It contains no reference, because reference counting for each user and
  /// feature would slow down the threads.
  private struct ReadingStep: BitwiseCopyable {
    enum Way: BitwiseCopyable {
      /// Copies the codes from the records.
      case code
      /// Copies the numbers from the records.
      case number
      /// Lets the shape write the values.
      case shape
    }

    var way: Way
    /// The index of the first column in `codes` or `values`.
    var column: Int
  }

  /// The number of rows read.
  package private(set) var count = 0
  /// The number of rows that the buffers can hold. Column k begins at `k * capacity`.
  package private(set) var capacity = 0
  /// The codes, one column per category in the order of features; `CategoryColumn.missing` for a missing
  /// code.
  package private(set) var codes: [UInt32] = []
  /// The values of all features except categories, column by column; NaN for a missing value.
  package private(set) var values: [Double] = []
  /// The values of the interactions, which the model learns to predict.
  package private(set) var responses: [Double] = []

  private var rows = LearningRowsOfUser()

  package init(_ source: LearningBlockSource) {
    space = source.space
    records = source.records
    table = source.table
    var (code, column) = (0, 0)
    steps = source.space.features.map { feature in
      if feature.isCategory {
        defer { code += 1 }
        return ReadingStep(way: .code, column: code)
      }
      defer { column += feature.width }
      return ReadingStep(way: feature.shape is NumberShape ? .number : .shape, column: column)
    }
  }

  /// Reads the learning rows with the indices `interactions`, which all belong to `user`.
  package mutating func read(_ interactions: Range<Int>, of user: Int) {
    count = interactions.count
    if count > capacity { grow(to: max(64, 2 * count)) }
    (rows.user, rows.interactions) = (user, interactions)
    Self.copy(interactions, of: table, records, into: &rows.candidates, &responses)
    for number in steps.indices {
      let step = steps[number]
      switch step.way {
      case .code:
        records.copyCodes(
          of: number, rows.candidates, count: count, into: &codes, at: step.column * capacity)
      case .number:
        records.copyNumbers(
          of: number, offset: 0, rows.candidates, count: count, into: &values, at: step.column * capacity)
      case .shape:
        copyInputs(of: number)
        space.features[number].shape.writeLearned(rows, to: &values, at: step.column * capacity)
      }
    }
  }

  private mutating func grow(to capacity: Int) {
    self.capacity = capacity
    let (categories, columns) = (space.features.count { $0.isCategory }, space.otherColumns.count)
    let numbers = records.places.map(\.numberCount).max() ?? 0
    codes = [UInt32](repeating: 0, count: categories * capacity)
    values = [Double](repeating: 0, count: columns * capacity)
    responses = [Double](repeating: 0, count: capacity)
    rows.stride = capacity
    rows.candidates = [Int](repeating: 0, count: capacity)
    rows.codes = [UInt32](repeating: 0, count: capacity)
    rows.numbers = [Double](repeating: 0, count: numbers * capacity)
  }

  /// Copies the candidates and values of `rows`.
  private static func copy(
    _ rows: Range<Int>, of table: borrowing InteractionTable, _ records: borrowing CandidateRecords,
    into candidates: inout [Int], _ responses: inout [Double]
  ) {
    let (candidateColumn, valueColumn) = (table.candidate.span, table.value.span)
    for place in 0..<rows.count {
      candidates[place] = Int(candidateColumn[rows.lowerBound + place])
      responses[place] = valueColumn[rows.lowerBound + place]
    }
    // The records are scattered over memory. The loop therefore prefetches the records of the next rows,
    // which probably belong to the next user. It stops after at most 64 rows, so that the records stay in the
    // cache until they are read.
    for row in rows.upperBound..<min(rows.upperBound + min(rows.count, 64), candidateColumn.count) {
      records.prefetch(Int(candidateColumn[row]))
    }
  }

  /// Copies the codes and numbers that the feature's shape reads, for each candidate.
  private mutating func copyInputs(of feature: Int) {
    let place = records.places[feature]
    if place.code != nil {
      records.copyCodes(of: feature, rows.candidates, count: count, into: &rows.codes, at: 0)
    }
    for offset in 0..<place.numberCount {
      records.copyNumbers(
        of: feature, offset: offset, rows.candidates, count: count, into: &rows.numbers,
        at: offset * capacity)
    }
  }
}

/// The inputs that the blocks of all workers share.
package struct LearningBlockSource: Sendable {
  let space: FeatureSpace
  let records: CandidateRecords
  let table: InteractionTable

  package init(_ space: FeatureSpace, _ table: InteractionTable) {
    self.space = space
    self.table = table
    records = CandidateRecords(space)
  }
}

extension FeatureSpace {
  /// The columns of all features except categories, ascending: the value columns of a `LearningBlock`.
  package var otherColumns: [Int] { features.filter { !$0.isCategory }.flatMap(\.columns) }

  /// The category features, in order: the code columns of a `LearningBlock`.
  package var categoryFeatures: [BoundFeature] { features.filter(\.isCategory) }
}

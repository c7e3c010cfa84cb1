internal import Columns
package import RunSchemas

/// Reads the learning rows of one user after the other, column by column: a code for each category, a number for every
/// column of the other features.
///
/// A category of hundreds of columns is one code per row, and nothing is allocated once the buffers have grown. One per
/// worker. The same values as `FeatureSpace.fill` gives row by row.
package struct LearningBlock {
  private let space: FeatureSpace
  private let records: CandidateRecords
  private let table: InteractionTable
  private let steps: [ReadingStep]

  /// What `read` does for a feature. Without a reference: to take a feature out for each user counts those in it, for which
  /// threads wait.
  private struct ReadingStep: BitwiseCopyable {
    enum Way: BitwiseCopyable {
      /// The codes as records have them.
      case code
      /// The numbers as records have them.
      case number
      /// As the shape writes them.
      case shape
    }

    var way: Way
    /// Where it goes in `codes` or `values`, counted in columns.
    var column: Int
  }

  /// How many rows were read.
  package private(set) var count = 0
  /// Rows that the buffers have room for: column k begins at `k * capacity`.
  package private(set) var capacity = 0
  /// By category, in the order of features: codes, `CategoryColumn.missing` where there is none.
  package private(set) var codes: [UInt32] = []
  /// By column of the other features, in the order of columns: values, NaN where there is none.
  package private(set) var values: [Double] = []
  /// What was learned from: the interactions' values.
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

  /// Reads the interactions `interactions`, which are of `user`.
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

  /// Takes candidates and values of `rows` over.
  private static func copy(
    _ rows: Range<Int>, of table: borrowing InteractionTable, _ records: borrowing CandidateRecords,
    into candidates: inout [Int], _ responses: inout [Double]
  ) {
    let (candidateColumn, valueColumn) = (table.candidate.span, table.value.span)
    for place in 0..<rows.count {
      candidates[place] = Int(candidateColumn[rows.lowerBound + place])
      responses[place] = valueColumn[rows.lowerBound + place]
    }
    // The next user's, most likely: their records are anywhere in memory. No more than a cache keeps until then.
    for row in rows.upperBound..<min(rows.upperBound + min(rows.count, 64), candidateColumn.count) {
      records.prefetch(Int(candidateColumn[row]))
    }
  }

  /// What the shape of a feature reads of each candidate.
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

/// What the blocks of all workers read from.
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
  /// The columns of all features that are not categories, ascending: the value columns of a `LearningBlock`.
  package var otherColumns: [Int] { features.filter { !$0.isCategory }.flatMap(\.columns) }

  /// The features that are categories, in order: the code columns of a `LearningBlock`.
  package var categoryFeatures: [BoundFeature] { features.filter(\.isCategory) }
}

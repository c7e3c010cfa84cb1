internal import Columns
internal import Geohash
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
  private let steps: [Step]

  /// What `read` does for a feature. Without a reference: to take a feature out for each user counts those in it, for which
  /// threads wait.
  private struct Step: BitwiseCopyable {
    enum Kind: BitwiseCopyable {
      case category, number, distance, other

      init(_ values: FeatureValues) {
        switch values {
        case .category: self = .category
        case .number: self = .number
        case .distance: self = .distance
        default: self = .other
        }
      }
    }

    var kind: Kind
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

  private var candidates: [Int] = []
  /// Numbers of a record that are not values yet, column by column.
  private var inputs: [Double] = []
  private var distances: [Double] = []

  package init(_ source: LearningBlockSource) {
    space = source.space
    records = source.records
    table = source.table
    var (code, column) = (0, 0)
    steps = source.space.features.map { feature in
      if feature.isCategory {
        defer { code += 1 }
        return Step(kind: .category, column: code)
      }
      defer { column += feature.width }
      return Step(kind: Step.Kind(feature.values), column: column)
    }
  }

  /// Reads the interactions `rows`, which are of `user`.
  package mutating func read(_ rows: Range<Int>, of user: Int) {
    count = rows.count
    if count > capacity {
      capacity = max(64, 2 * count)
      let (categories, columns) = (space.features.count { $0.isCategory }, space.otherColumns.count)
      codes = [UInt32](repeating: 0, count: categories * capacity)
      values = [Double](repeating: 0, count: columns * capacity)
      inputs = [Double](repeating: 0, count: 3 * capacity)
      distances = [Double](repeating: 0, count: capacity)
      responses = [Double](repeating: 0, count: capacity)
      candidates = [Int](repeating: 0, count: capacity)
    }
    Self.copy(rows, of: table, records, into: &candidates, &responses)
    for number in steps.indices {
      let step = steps[number]
      switch step.kind {
      case .category:
        records.copyCodes(of: number, candidates, count: count, into: &codes, at: step.column * capacity)
      case .number: copyNumbers(of: number, to: step.column)
      case .distance: writeDistances(of: number, from: user, to: step.column)
      case .other: writeOther(number, to: step.column, rows, of: user)
      }
    }
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

  /// Writes the columns from `column` on of a feature that is neither a category nor a number nor a distance.
  private mutating func writeOther(_ number: Int, to column: Int, _ rows: Range<Int>, of user: Int) {
    switch space.features[number].values {
    case .category, .number, .distance: preconditionFailure("feature \(number) has a way of its own")
    case .received(let rates):
      copyInputs(of: number)
      rates.writeLeavingOut(rows, of: user, inputs, stride: capacity, into: &values, at: column * capacity)
    case .computed(let computed):
      for place in 0..<count {
        values[column * capacity + place] = computed.learned[rows.lowerBound + place]
      }
    case .follows(let followed):
      for place in 0..<count {
        values[column * capacity + place] = followed.learned[rows.lowerBound + place]
      }
    case .same(let users, _): writeSame(users[user], of: number, to: column)
    case .difference(let users, _, let isAbsolute):
      copyNumbers(of: number, to: column)
      let own = users[user]
      for place in column * capacity..<column * capacity + count {
        values[place] = FeatureSpace.difference(own, values[place], isAbsolute)
      }
    case .overlap(let users, let sets):
      let own = users[user]
      for place in 0..<count {
        values[column * capacity + place] = CodeSets.overlap(own, sets[candidates[place]])
      }
    case .text(let vectors):
      for place in 0..<count {
        for (dimension, component) in vectors[candidates[place]].enumerated() {
          values[(column + dimension) * capacity + place] = Double(component)
        }
      }
    }
  }

  private static func write(
    _ origin: DistanceOrigin, _ positions: [Double], stride: Int, count: Int, into distances: inout [Double]
  ) {
    let positions = positions.span
    var whole = distances.mutableSpan
    var output = whole._mutatingExtracting(first: count)
    origin.writeDistancesInKilometers(
      latitudes: positions.extracting(0..<count), longitudes: positions.extracting(stride..<stride + count),
      cosinesOfLatitudes: positions.extracting(2 * stride..<2 * stride + count), into: &output)
  }

  private mutating func copyNumbers(of feature: Int, to column: Int) {
    records.copyNumbers(
      of: feature, offset: 0, candidates, count: count, into: &values, at: column * capacity)
  }

  /// The three numbers of a position or of what a candidate received.
  private mutating func copyInputs(of feature: Int) {
    for offset in 0..<3 {
      records.copyNumbers(
        of: feature, offset: offset, candidates, count: count, into: &inputs, at: offset * capacity)
    }
  }

  private mutating func writeSame(_ own: UInt32, of feature: Int, to column: Int) {
    guard case .code(let offset) = records.places[feature] else { return }
    for place in 0..<count {
      let code = records.codes[candidates[place] * records.codeWidth + offset]
      values[column * capacity + place] = FeatureSpace.same(own, code)
    }
  }

  private mutating func writeDistances(of feature: Int, from user: Int, to column: Int) {
    guard let origin = space.users[user].map(DistanceOrigin.init) else {
      for place in 0..<count { values[column * capacity + place] = .nan }
      return
    }
    copyInputs(of: feature)
    Self.write(origin, inputs, stride: capacity, count: count, into: &distances)
    for place in 0..<count { values[column * capacity + place] = distances[place] }
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

extension FeatureSpace.Feature {
  /// Whether it is a code per row in a `LearningBlock`.
  package var isCategory: Bool {
    if case .category = values { return true }
    return false
  }
}

extension FeatureSpace {
  /// The columns of all features that are no categories, ascending: those of a `LearningBlock`'s values.
  package var otherColumns: [Int] { features.filter { !$0.isCategory }.flatMap(\.columns) }

  /// The features that are categories, in their order: those of a `LearningBlock`'s codes.
  package var categoryFeatures: [Feature] { features.filter(\.isCategory) }
}

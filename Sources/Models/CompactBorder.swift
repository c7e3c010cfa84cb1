/// The border of the matrix in `CompactPosterior`: one part for each parameter outside the widest category,
/// except for the base, which has two parts. The parts are, in this order:
///
/// - the base in rows where the widest category is known
/// - the dense columns
/// - the columns of the other categories
/// - the base in rows where the widest category is missing
struct CompactBorder {
  enum BorderPart {
    case known, missing
    /// One dense column, by its index.
    case dense(Int)
    case column(category: Int, Int)
  }

  /// The index of the widest category, whose columns form the diagonal block.
  let main: Int
  let parts: [BorderPart]
  /// The index of each part's parameter. The next three arrays also have one element per part: the square
  /// root of the prior variance, the element that the prior adds to the diagonal of the matrix, and the prior
  /// mean.
  ///
  /// The first part has the root 1 and the diagonal element 0. If the base is free, the last part has the
  /// same root and element. Both parts have the mean 0, because `effects` includes the prior mean of the
  /// base.
  let parameters: [Int]
  let roots: [Double]
  let identity: [Double]
  let mean: [Double]
  /// For each bin of the widest category: the prior mean of the base plus the prior effect of the bin.
  let effects: [Double]
  let hasZeroMean: Bool
  /// The number of dense columns, which follow the first part.
  let denseCount: Int
  private let missing: Int

  /// The largest number of parts. With more parts, the dense solution is as fast.
  private static let most = 64
  /// The smallest number of category columns for which the compact form is faster.
  private static let narrowestCategory = 4

  /// Creates the border; returns `nil` if every category is too narrow, or if the border would have too many
  /// parts.
  init?(_ prior: GaussianPrior, _ layout: CompactLayout) {
    let widths = layout.categories.map(\.width)
    guard let main = widths.indices.max(by: { (widths[$0], $1) < (widths[$1], $0) }),
      widths[main] >= Self.narrowestCategory
    else { return nil }
    var parts: [BorderPart] = [.known]
    var parameters = [0]
    for (place, column) in layout.dense.enumerated() {
      parts.append(.dense(place))
      parameters.append(column.parameter)
    }
    for (place, category) in layout.categories.enumerated() where place != main {
      parts += (0..<category.width).map { .column(category: place, $0) }
      parameters += category.parameters
    }
    parts.append(.missing)
    parameters.append(0)
    guard parts.count <= Self.most else { return nil }
    (self.main, self.parts, self.parameters) = (main, parts, parameters)
    let last = parts.count - 1
    let isFree = prior.variances[0] == .infinity
    roots = parameters.indices.map { r in
      r == 0 || (r == last && isFree) ? 1 : prior.variances[parameters[r]].squareRoot()
    }
    identity = parameters.indices.map { $0 == 0 || ($0 == last && isFree) ? 0 : 1 }
    mean = parameters.indices.map { $0 == 0 || $0 == last ? 0 : prior.mean[parameters[$0]] }
    let category = layout.categories[main]
    missing = category.missing
    denseCount = layout.dense.count
    let own = prior.mean[category.parameters]
    let base = zip(own, category.low).reduce(prior.mean[0]) { $0 + $1.0 * $1.1 }
    effects = zip(own, category.step).map { base + $0 * $1 } + [base, prior.mean[0]]
    hasZeroMean = prior.mean.allSatisfy { $0 == 0 }
  }

  /// Returns the sum of part `r` over the rows of a bin of the widest category.
  func sum(_ r: Int, bin: Int, _ sums: borrowing CompactSums) -> Double {
    switch parts[r] {
    case .known: bin == missing ? 0 : sums.sum(0, category: main, bin: bin)
    case .missing: bin == missing ? sums.sum(0, category: main, bin: bin) : 0
    case .dense(let place): sums.sum(2 + place, category: main, bin: bin)
    case .column(let category, let j): sums.sum(category: category, column: j, overCategory: main, bin: bin)
    }
  }

  /// Returns the sum of the products of part `r` and the responses. The result is 0 for the first and the
  /// last part, because their moments are computed per bin.
  func moment(_ r: Int, _ sums: borrowing CompactSums) -> Double {
    switch parts[r] {
    case .known, .missing: 0
    case .dense(let place): sums.product(1, 2 + place)
    case .column(let category, let j): sums.product(1, category: category, column: j)
    }
  }

  /// Returns the sum of the products of parts `r` and `s`.
  func product(_ r: Int, _ s: Int, _ sums: borrowing CompactSums) -> Double {
    switch (parts[r], parts[s]) {
    case (.known, .missing), (.missing, .known): 0
    case (.known, .known): sums.knownSum(0, category: main)
    case (.missing, _): sum(s, bin: missing, sums)
    case (_, .missing): sum(r, bin: missing, sums)
    case (.known, .dense(let place)), (.dense(let place), .known):
      sums.knownSum(2 + place, category: main)
    case (.known, .column(let category, let j)):
      sums.product(0, category: category, column: j) - sum(s, bin: missing, sums)
    case (.column(let category, let j), .known):
      sums.product(0, category: category, column: j) - sum(r, bin: missing, sums)
    case (.dense(let v), .dense(let w)): sums.product(2 + v, 2 + w)
    case (.dense(let v), .column(let category, let j)), (.column(let category, let j), .dense(let v)):
      sums.product(2 + v, category: category, column: j)
    case (.column(let g, let i), .column(let h, let j)):
      g == h
        ? sums.product(category: g, columns: i, j)
        : sums.product(category: g, column: i, category: h, column: j)
    }
  }

  /// Returns the value of part `r` in a row.
  func element(_ r: Int, row: Int, of rows: borrowing CompactRows) -> Double {
    switch parts[r] {
    case .known: rows.bin(row, category: main) == missing ? 0 : 1
    case .missing: rows.bin(row, category: main) == missing ? 1 : 0
    case .dense(let place): rows.element(row, vector: 2 + place)
    case .column(let category, let j): rows.column(j, category: category, row: row)
    }
  }
}

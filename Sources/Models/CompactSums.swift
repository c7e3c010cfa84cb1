/// The sufficient statistics of a linear model in compact form: sums of products of vectors, sums of vectors
/// per bin, and counts of rows per pair of bins.
///
/// For a category with hundreds of columns, each row updates the sums of one bin. With dummy columns, the
/// work per row would be quadratic in the number of columns. `write(to:)` computes the full sums of products
/// of all columns.
package struct CompactSums {
  let layout: CompactLayout
  /// The number of vectors: ones, the responses, and the dense columns.
  let vectorCount: Int
  private(set) var count = 0
  /// The sum of products of the vectors v and w, v <= w, is at `w * vectorCount + v`.
  private(set) var gram: [Double]
  /// The index of each category's first bin among all bins.
  let firstBins: [Int]
  /// The sums of all vectors over the rows of each bin.
  private(set) var binSums: [Double]
  /// The sums of all vectors over the rows in which each category is known.
  private(set) var knownSums: [Double]
  /// The number of rows for each pair of categories g < h and each pair of their bins.
  private(set) var pairCounts: [Double]
  private(set) var firstPairs: [Int]

  package init(_ layout: CompactLayout) {
    self.layout = layout
    vectorCount = 2 + layout.dense.count
    gram = [Double](repeating: 0, count: vectorCount * vectorCount)
    var (bins, pairs) = (0, 0)
    var (firstBins, firstPairs) = ([] as [Int], [] as [Int])
    for (h, category) in layout.categories.enumerated() {
      firstBins.append(bins)
      bins += category.binCount
      for other in layout.categories.prefix(h) {
        firstPairs.append(pairs)
        pairs += category.binCount * other.binCount
      }
    }
    (self.firstBins, self.firstPairs) = (firstBins, firstPairs)
    binSums = [Double](repeating: 0, count: bins * vectorCount)
    knownSums = [Double](repeating: 0, count: layout.categories.count * vectorCount)
    pairCounts = [Double](repeating: 0, count: pairs)
  }

  /// Computes the sums over `rows`, which must have the same layout.
  package mutating func load(_ rows: borrowing CompactRows) {
    count = rows.count
    multiplyVectors(rows)
    for place in binSums.indices { binSums[place] = 0 }
    for place in pairCounts.indices { pairCounts[place] = 0 }
    for h in layout.categories.indices {
      addToBins(of: h, rows)
      for g in 0..<h { countPairs(g, h, rows) }
      // If no value is missing, the known sums are exactly the sums over all rows.
      let missing = (firstBins[h] + layout.categories[h].missing) * vectorCount
      for vector in 0..<vectorCount {
        knownSums[h * vectorCount + vector] = gram[vector * vectorCount] - binSums[missing + vector]
      }
    }
  }

  /// Computes products for blocks of two by two vectors, so that sums stay in registers.
  private mutating func multiplyVectors(_ rows: borrowing CompactRows) {
    let (blocks, length) = (rows.vectors.span, rows.blockCount)
    // This check replaces a check per element, which would take as long as the sums.
    precondition(blocks.count >= vectorCount * length, "\(blocks.count) blocks are too few for the vectors")
    for vector in 0..<vectorCount {
      var sum = SIMD4<Double>.zero
      for block in 0..<length { sum += unsafe blocks[unchecked: vector * length + block] }
      gram[vector * vectorCount] = sum.inOrder
    }
    for v in stride(from: 1, to: vectorCount, by: 2) {
      let next = min(v + 1, vectorCount - 1)
      for w in stride(from: v, to: vectorCount, by: 2) {
        let last = min(w + 1, vectorCount - 1)
        let zero = SIMD4<Double>.zero
        var (ac, ad, bc, bd) = (zero, zero, zero, zero)
        for block in 0..<length {
          let a = unsafe blocks[unchecked: v * length + block]
          let b = unsafe blocks[unchecked: next * length + block]
          let c = unsafe blocks[unchecked: w * length + block]
          let d = unsafe blocks[unchecked: last * length + block]
          ac += a * c
          ad += a * d
          bc += b * c
          bd += b * d
        }
        gram[w * vectorCount + v] = ac.inOrder
        gram[last * vectorCount + v] = ad.inOrder
        gram[w * vectorCount + next] = bc.inOrder
        gram[last * vectorCount + next] = bd.inOrder
      }
    }
  }

  /// Adds the elements of every vector to the sums of their rows' bins.
  private mutating func addToBins(of category: Int, _ rows: borrowing CompactRows) {
    let (blocks, length) = (rows.vectors.span, rows.blockCount)
    let bins = rows.bins.span.extracting(category * 4 * length..<(category + 1) * 4 * length)
    let (first, vectorCount) = (firstBins[category], vectorCount)
    var sums = binSums.mutableSpan
    precondition(blocks.count >= vectorCount * length, "\(blocks.count) blocks are too few for the vectors")
    for block in 0..<length {
      let row = 4 * block
      let a = (first + Int(bins[row])) * vectorCount
      let b = (first + Int(bins[row + 1])) * vectorCount
      let c = (first + Int(bins[row + 2])) * vectorCount
      let d = (first + Int(bins[row + 3])) * vectorCount
      precondition(
        max(a, b, c, d) + vectorCount <= sums.count && min(a, b, c, d) >= 0,
        "a bin of block \(block) is out of range")
      for vector in 0..<vectorCount {
        let four = unsafe blocks[unchecked: vector * length + block]
        unsafe sums[unchecked: a + vector] += four[0]
        unsafe sums[unchecked: b + vector] += four[1]
        unsafe sums[unchecked: c + vector] += four[2]
        unsafe sums[unchecked: d + vector] += four[3]
      }
    }
  }

  private mutating func countPairs(_ g: Int, _ h: Int, _ rows: borrowing CompactRows) {
    let length = 4 * rows.blockCount
    let bins = rows.bins.span
    let (first, width) = (firstPair(g, h), layout.categories[g].binCount)
    var counts = pairCounts.mutableSpan
    for row in 0..<rows.count {
      counts[first + Int(bins[h * length + row]) * width + Int(bins[g * length + row])] += 1
    }
  }

  func firstPair(_ g: Int, _ h: Int) -> Int { firstPairs[h * (h - 1) / 2 + g] }
}

extension SIMD4<Double> {
  /// The sum of the lanes in a fixed order; the order of `sum()` depends on the library.
  fileprivate var inOrder: Double { (self[0] + self[1]) + (self[2] + self[3]) }
}

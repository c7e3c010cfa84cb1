// Sums of products of standardized columns, derived from the compact sums.

extension CompactSums {
  /// Returns the sum of the products of two vectors.
  func product(_ v: Int, _ w: Int) -> Double { gram[max(v, w) * vectorCount + min(v, w)] }

  /// Returns the sum of a vector over the rows of a bin of category `g`; for vector 0, the number of rows.
  func sum(_ vector: Int, category g: Int, bin: Int) -> Double {
    binSums[(firstBins[g] + bin) * vectorCount + vector]
  }

  /// Writes the number of rows in a bin of category `g` to `output` at `base`, followed by the sums of the
  /// dense columns over these rows. Each number is multiplied by `scale` and by its element of `factors`,
  /// which has one element per vector except the responses.
  func writeSums(
    category g: Int, bin: Int, times scale: Double, _ factors: [Double], into output: inout [Double],
    at base: Int
  ) {
    let first = (firstBins[g] + bin) * vectorCount
    output[base] = binSums[first] * (scale * factors[0])
    for place in 1..<max(1, vectorCount - 1) {
      output[base + place] = binSums[first + place + 1] * (scale * factors[place])
    }
  }

  /// Returns the sum of a vector over the rows where category `g` is known.
  func knownSum(_ vector: Int, category g: Int) -> Double { knownSums[g * vectorCount + vector] }

  /// Returns the sum of the products of a vector and the standardized column `j` of category `g`.
  func product(_ vector: Int, category g: Int, column j: Int) -> Double {
    let own = sum(vector, category: g, bin: j)
    let category = layout.categories[g]
    return own * category.high[j] + (knownSum(vector, category: g) - own) * category.low[j]
  }

  /// Returns the sum of the products of the standardized columns `i` and `j` of category `g`.
  func product(category g: Int, columns i: Int, _ j: Int) -> Double {
    let category = layout.categories[g]
    let (own, known) = (sum(0, category: g, bin: j), knownSum(0, category: g))
    if i == j {
      return own * category.high[j] * category.high[j] + (known - own) * category.low[j] * category.low[j]
    }
    let other = sum(0, category: g, bin: i)
    return own * category.high[j] * category.low[i] + other * category.high[i] * category.low[j]
      + (known - own - other) * category.low[i] * category.low[j]
  }

  /// Returns the number of rows in bin `i` of category `g` and bin `j` of another category `h`.
  func count(category g: Int, bin i: Int, category h: Int, bin j: Int) -> Double {
    g < h
      ? pairCounts[firstPair(g, h) + j * layout.categories[g].binCount + i]
      : pairCounts[firstPair(h, g) + i * layout.categories[h].binCount + j]
  }

  /// Returns the sum of the standardized column `j` of category `h` over the rows of bin `i` of another
  /// category `g`.
  func sum(category h: Int, column j: Int, overCategory g: Int, bin i: Int) -> Double {
    let own = count(category: g, bin: i, category: h, bin: j)
    let missing = count(category: g, bin: i, category: h, bin: layout.categories[h].missing)
    // The padding of the last block adds nothing to either count.
    let known = sum(0, category: g, bin: i) - missing
    return own * layout.categories[h].high[j] + (known - own) * layout.categories[h].low[j]
  }

  /// Returns the sum of the products of column `i` of category `g` and column `j` of another category `h`.
  func product(category g: Int, column i: Int, category h: Int, column j: Int) -> Double {
    let own = sum(category: h, column: j, overCategory: g, bin: i)
    let missing = sum(category: h, column: j, overCategory: g, bin: layout.categories[g].missing)
    let rest = product(0, category: h, column: j) - missing - own
    return own * layout.categories[g].high[i] + rest * layout.categories[g].low[i]
  }

  /// Returns the index of a vector's parameter; `nil` for the responses.
  private func parameter(_ vector: Int) -> Int? {
    switch vector {
    case 0: 0
    case 1: nil
    default: layout.dense[vector - 2].parameter
    }
  }

  /// Writes the full sums of products of all columns.
  func write(to sums: inout SumsOfProducts) {
    sums.set(count: count, squares: product(1, 1))
    for w in 0..<vectorCount {
      guard let k = parameter(w) else { continue }
      sums.setMoment(k, product(1, w))
      for v in 0...w {
        if let j = parameter(v) { sums.setProduct(j, k, product(v, w)) }
      }
    }
    for (g, category) in layout.categories.enumerated() {
      for j in 0..<category.width {
        let k = category.parameters.lowerBound + j
        sums.setMoment(k, product(1, category: g, column: j))
        for v in 0..<vectorCount {
          if let own = parameter(v) { sums.setProduct(own, k, product(v, category: g, column: j)) }
        }
        for i in 0...j {
          sums.setProduct(category.parameters.lowerBound + i, k, product(category: g, columns: i, j))
        }
      }
      for h in layout.categories.indices where h > g {
        let other = layout.categories[h]
        for j in 0..<other.width {
          for i in 0..<category.width {
            sums.setProduct(
              category.parameters.lowerBound + i, other.parameters.lowerBound + j,
              product(category: g, column: i, category: h, column: j))
          }
        }
      }
    }
  }
}

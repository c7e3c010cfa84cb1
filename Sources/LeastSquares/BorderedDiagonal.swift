/// A symmetric positive definite matrix that is diagonal but for its last rows and columns, as sums of products over rows
/// with one category are:
///
///     N = [ diag(d)  C' ]        d: `diagonalCount` elements, C: `borderCount × diagonalCount`,
///         [ C        R  ]        R: `borderCount × borderCount`
///
/// With S = R - C diag(d)⁻¹ C' (Schur's complement) and a Cholesky factor of S, a system takes O(g q² + q³) where a dense
/// one takes O((g + q)³), for g diagonal and q border elements. One per worker: it keeps its buffers.
///
/// Source: Golub and Van Loan 2013, Matrix Computations, 4.2.
public struct BorderedDiagonal: Sendable {
  public private(set) var diagonalCount = 0
  public private(set) var borderCount = 0
  /// d; as given until `factor`, then its reciprocals.
  public var diagonal: [Double] = []
  /// C column by column: element (r, j) at `j * borderCount + r`; after `factor` C diag(d)⁻¹.
  public var coupling: [Double] = []
  /// The upper triangle of R column by column: (r, s), r <= s, at `s * borderCount + r`; after `factor` that of S's
  /// factor's inverse V, S⁻¹ = V V'.
  public var corner: [Double] = []
  private var work: [Double] = []

  public init() {}

  /// Makes room for a matrix of this shape, whose elements are then to be set.
  public mutating func reshape(diagonal: Int, border: Int) {
    (diagonalCount, borderCount) = (diagonal, border)
    self.diagonal.grow(to: diagonal)
    coupling.grow(to: diagonal * border)
    corner.grow(to: border * border)
    work.grow(to: border)
  }

  /// Factors the matrix, which is lost.
  ///
  /// - Returns: The least share that is left of a diagonal element of R when everything before it is taken out: digits
  ///   are lost as its logarithm says. 0 or less, or NaN, where the matrix is not positive definite; it is of no use then.
  public mutating func factor() -> Double {
    let q = borderCount
    for r in 0..<q { work[r] = corner[r * q + r] }
    var least = 1.0
    guard eliminateDiagonal() else { return 0 }
    for s in 0..<q {
      for r in 0...s {
        var sum = corner[s * q + r]
        for i in 0..<r { sum -= corner[r * q + i] * corner[s * q + i] }
        if r < s {
          corner[s * q + r] = sum / corner[r * q + r]
        } else {
          least = min(least, sum / work[s])
          guard sum > 0 else { return least }
          corner[s * q + s] = sum.squareRoot()
        }
      }
    }
    invertFactor()
    return least
  }

  /// Takes C diag(d)⁻¹ C' from R; `false` where an element of d is not positive.
  private mutating func eliminateDiagonal() -> Bool {
    let (q, count) = (borderCount, diagonalCount)
    precondition(
      diagonal.count >= count && coupling.count >= count * q && corner.count >= q * q && work.count >= q,
      "\(count) by \(q)")
    // The hot loop of a fit with a category: half of its time would go into checks of bounds, which were just checked.
    return unsafe diagonal.withUnsafeMutableBufferPointer { diagonal in
      unsafe coupling.withUnsafeMutableBufferPointer { coupling in
        unsafe corner.withUnsafeMutableBufferPointer { corner in
          for j in 0..<count {
            guard unsafe diagonal[j] > 0 else { return false }
            let reciprocal = unsafe 1 / diagonal[j]
            unsafe diagonal[j] = reciprocal
            for s in 0..<q {
              let own = unsafe coupling[j * q + s]
              unsafe coupling[j * q + s] = own * reciprocal
              // Up to `s` the column is divided already.
              for r in 0...s { unsafe corner[s * q + r] -= coupling[j * q + r] * own }
            }
          }
          return true
        }
      }
    }
  }

  /// U becomes V = U⁻¹, column by column: V_rs = -V_ss Σ_{r <= i < s} V_ri U_is.
  private mutating func invertFactor() {
    let q = borderCount
    for s in 0..<q {
      let own = 1 / corner[s * q + s]
      for i in 0..<s { work[i] = corner[s * q + i] }
      for r in 0..<s {
        var sum = 0.0
        for i in r..<s { sum += corner[i * q + r] * work[i] }
        corner[s * q + r] = -own * sum
      }
      corner[s * q + s] = own
    }
  }

  /// Overwrites a right-hand side by the solution, after `factor`.
  ///
  /// - Parameters:
  ///   - diagonal: Its first `diagonalCount` elements.
  ///   - border: The rest, `borderCount` elements.
  public mutating func solve(_ diagonal: inout [Double], _ border: inout [Double]) {
    let q = borderCount
    for j in 0..<diagonalCount {
      let own = diagonal[j]
      for r in 0..<q { border[r] -= coupling[j * q + r] * own }
    }
    for s in 0..<q {
      var sum = 0.0
      for r in 0...s { sum += corner[s * q + r] * border[r] }
      work[s] = sum
    }
    for r in 0..<q { border[r] = 0 }
    for s in 0..<q {
      for r in 0...s { border[r] += corner[s * q + r] * work[s] }
    }
    for j in 0..<diagonalCount {
      var sum = diagonal[j] * self.diagonal[j]
      for r in 0..<q { sum -= coupling[j * q + r] * border[r] }
      diagonal[j] = sum
    }
  }

  /// Writes the diagonal of the inverse, after `factor`.
  ///
  /// - Parameters:
  ///   - diagonal: Receives the first `diagonalCount` elements.
  ///   - border: Receives the rest.
  public func writeInverseDiagonal(_ diagonal: inout [Double], _ border: inout [Double]) {
    let q = borderCount
    for r in 0..<q { border[r] = 0 }
    for s in 0..<q {
      for r in 0...s { border[r] += corner[s * q + r] * corner[s * q + r] }
    }
    for j in 0..<diagonalCount {
      var square = self.diagonal[j]
      for s in 0..<q {
        var sum = 0.0
        for r in 0...s { sum += corner[s * q + r] * coupling[j * q + r] }
        square += sum * sum
      }
      diagonal[j] = square
    }
  }

  /// x' N⁻¹ x, after `factor`, for x with one element of the diagonal.
  ///
  /// - Parameters:
  ///   - place: Where in the diagonal; `nil` for none.
  ///   - value: That element.
  ///   - border: The other elements, `borderCount` of them; lost.
  public func inverseForm(_ place: Int?, value: Double, border: inout [Double]) -> Double {
    let q = borderCount
    var square = 0.0
    if let place {
      square = value * value * diagonal[place]
      for r in 0..<q { border[r] -= coupling[place * q + r] * value }
    }
    for s in 0..<q {
      var sum = 0.0
      for r in 0...s { sum += corner[s * q + r] * border[r] }
      square += sum * sum
    }
    return square
  }
}

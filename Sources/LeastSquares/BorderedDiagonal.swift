/// A symmetric positive definite bordered diagonal matrix, such as the sums of products over rows with one
/// category:
///
///     N = [ diag(d)  C' ]        d: `diagonalCount` elements, C: `borderCount × diagonalCount`,
///         [ C        R  ]        R: `borderCount × borderCount`
///
/// With S = R - C diag(d)⁻¹ C' (Schur complement) and a Cholesky factor of S, solving takes O(g q² + q³) time
/// for g diagonal and q border elements. For a dense matrix, solving takes O((g + q)³). Each worker has its
/// own matrix and reuses the buffers.
///
/// Source: Golub and Van Loan 2013, Matrix Computations, 4.2.
public struct BorderedDiagonal: Sendable {
  public private(set) var diagonalCount = 0
  public private(set) var borderCount = 0
  /// The elements of d; after `factor`, their reciprocals.
  public var diagonal: [Double] = []
  /// The matrix C, stored column by column: element (r, j) is at `j * stride + r`. After `factor`, the array
  /// contains C diag(d)⁻¹.
  public var coupling: [Double] = []
  /// The upper triangle of R, stored column by column: element (r, s), r <= s, is at `s * stride + r`. After
  /// `factor`, the array contains the inverse V of the Cholesky factor of S, with S⁻¹ = V V'.
  public var corner: [Double] = []
  /// The distance between columns: a multiple of four, so that loops process four elements at a time.
  public private(set) var stride = 0
  private var work: [Double] = []
  private var column: [Double] = []

  public init() {}

  /// Reserves space for a matrix with `diagonal` diagonal and `border` border elements. The caller then sets
  /// the elements; the padding between columns is 0.
  public mutating func reshape(diagonal: Int, border: Int) {
    (diagonalCount, borderCount) = (diagonal, border)
    stride = (border + 3) / 4 * 4
    self.diagonal.grow(to: diagonal)
    coupling.grow(to: diagonal * stride)
    corner.grow(to: border * stride)
    work.grow(to: stride)
    column.grow(to: stride)
    for j in 0..<diagonal { for r in border..<stride { coupling[j * stride + r] = 0 } }
    for s in 0..<border { for r in border..<stride { corner[s * stride + r] = 0 } }
  }

  /// Factors the matrix in place.
  ///
  /// - Returns: The smallest share of a diagonal element of R that remains after elimination. The negative
  ///   decimal logarithm of this share is the number of lost digits. If the matrix is not positive definite,
  ///   the share is at most 0 or NaN, and the factor is invalid.
  public mutating func factor() -> Double {
    let q = borderCount
    for r in 0..<q { work[r] = corner[r * stride + r] }
    var least = 1.0
    guard eliminateDiagonal() else { return 0 }
    for s in 0..<q {
      for r in 0...s {
        var sum = corner[s * stride + r]
        for i in 0..<r { sum -= corner[r * stride + i] * corner[s * stride + i] }
        if r < s {
          corner[s * stride + r] = sum / corner[r * stride + r]
        } else {
          least = min(least, sum / work[s])
          guard sum > 0 else { return min(0, least) }
          corner[s * stride + s] = sum.squareRoot()
        }
      }
    }
    invertFactor()
    return least
  }

  /// Subtracts C diag(d)⁻¹ C' from R; returns `false` if an element of d is not positive.
  private mutating func eliminateDiagonal() -> Bool {
    let (q, stride) = (borderCount, stride)
    precondition(
      coupling.count >= diagonalCount * stride && corner.count >= q * stride && column.count >= stride,
      "the buffers are too small for \(diagonalCount) diagonal and \(q) border elements")
    for j in 0..<diagonalCount {
      guard diagonal[j] > 0 else { return false }
      diagonal[j] = 1 / diagonal[j]
      let reciprocal = diagonal[j]
      unsafe coupling.withUnsafeMutableBufferPointer { coupling in
        unsafe column.withUnsafeMutableBufferPointer { column in
          unsafe corner.withUnsafeMutableBufferPointer { corner in
            let own = unsafe UnsafeMutableBufferPointer(rebasing: coupling[j * stride..<(j + 1) * stride])
            unsafe Self.eliminate(own, reciprocal, column, from: corner, order: q)
          }
        }
      }
    }
    return true
  }

  /// Eliminates one diagonal element d, whose column of C is `weights`, from R; divides `weights` by d.
  ///
  /// A fit with a category spends much of its time in this loop. The loop processes four elements at a time,
  /// so elements below the diagonal of R become invalid.
  private static func eliminate(
    _ weights: UnsafeMutableBufferPointer<Double>, _ reciprocal: Double,
    _ column: UnsafeMutableBufferPointer<Double>, from corner: UnsafeMutableBufferPointer<Double>,
    order q: Int
  ) {
    for r in weights.indices {
      unsafe column[r] = weights[r]
      unsafe weights[r] = column[r] * reciprocal
    }
    let (count, size) = (weights.count, MemoryLayout<Double>.stride)
    let divided = UnsafeRawBufferPointer(weights)
    let target = UnsafeMutableRawBufferPointer(corner)
    for s in 0..<q {
      let own = unsafe column[s]
      for block in 0...s / 4 {
        let r = 4 * block
        let place = (s * count + r) * size
        let four = unsafe target.loadUnaligned(fromByteOffset: place, as: SIMD4<Double>.self)
        let taken = unsafe divided.loadUnaligned(fromByteOffset: r * size, as: SIMD4<Double>.self) * own
        unsafe target.storeBytes(of: four - taken, toByteOffset: place, as: SIMD4<Double>.self)
      }
    }
  }

  /// Replaces the Cholesky factor U of S with V = U⁻¹, column by column:
  /// V_rs = -V_ss Σ_{r <= i < s} V_ri U_is.
  private mutating func invertFactor() {
    let q = borderCount
    for s in 0..<q {
      let own = 1 / corner[s * stride + s]
      for i in 0..<s { work[i] = corner[s * stride + i] }
      for r in 0..<s {
        var sum = 0.0
        for i in r..<s { sum += corner[i * stride + r] * work[i] }
        corner[s * stride + r] = -own * sum
      }
      corner[s * stride + s] = own
    }
  }

  /// Overwrites a right-hand side with the solution. Call `factor` first.
  ///
  /// - Parameters:
  ///   - diagonal: The first `diagonalCount` elements of the right-hand side.
  ///   - border: The other `borderCount` elements.
  public mutating func solve(_ diagonal: inout [Double], _ border: inout [Double]) {
    let (q, stride) = (borderCount, stride)
    for r in 0..<q { column[r] = border[r] }
    for j in 0..<diagonalCount {
      let (own, first) = (diagonal[j], j * stride)
      for r in 0..<q { column[r] -= coupling[first + r] * own }
    }
    for s in 0..<q {
      var sum = 0.0
      for r in 0...s { sum += corner[s * stride + r] * column[r] }
      work[s] = sum
    }
    for r in 0..<q { column[r] = 0 }
    for s in 0..<q {
      for r in 0...s { column[r] += corner[s * stride + r] * work[s] }
    }
    for r in 0..<q { border[r] = column[r] }
    for j in 0..<diagonalCount {
      let first = j * stride
      var sum = 0.0
      for r in 0..<q { sum += coupling[first + r] * column[r] }
      diagonal[j] = diagonal[j] * self.diagonal[j] - sum
    }
  }

  /// Writes the diagonal of the inverse. Call `factor` first.
  ///
  /// - Parameters:
  ///   - diagonal: Receives the first `diagonalCount` elements.
  ///   - border: Receives the other elements.
  public func writeInverseDiagonal(_ diagonal: inout [Double], _ border: inout [Double]) {
    let q = borderCount
    for r in 0..<q { border[r] = 0 }
    for s in 0..<q {
      for r in 0...s { border[r] += corner[s * stride + r] * corner[s * stride + r] }
    }
    for j in 0..<diagonalCount {
      var square = self.diagonal[j]
      for s in 0..<q {
        var sum = 0.0
        for r in 0...s { sum += corner[s * stride + r] * coupling[j * stride + r] }
        square += sum * sum
      }
      diagonal[j] = square
    }
  }

  /// Computes x' N⁻¹ x for x with at most one nonzero element in the diagonal part. Call `factor` first.
  ///
  /// - Parameters:
  ///   - place: The index of the nonzero element; `nil` if the diagonal part is zero.
  ///   - value: The value of the nonzero element.
  ///   - border: The border part, with `borderCount` elements; overwritten.
  /// - Returns: The value of the quadratic form, which is not negative.
  public func inverseForm(_ place: Int?, value: Double, border: inout [Double]) -> Double {
    let q = borderCount
    var square = 0.0
    if let place {
      square = value * value * diagonal[place]
      for r in 0..<q { border[r] -= coupling[place * stride + r] * value }
    }
    for s in 0..<q {
      var sum = 0.0
      for r in 0...s { sum += corner[s * stride + r] * border[r] }
      square += sum * sum
    }
    return square
  }
}

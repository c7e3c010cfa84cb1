/// The sufficient statistics of a linear model for rows z with values y: n, Σ z z', Σ z y and Σ y².
struct SumsOfProducts: Sendable {
  let order: Int
  private(set) var count = 0
  /// The upper triangle of Σ z z', packed by columns: element (j, k), j <= k, is at `k (k + 1) / 2 + j`.
  private(set) var products: [Double]
  /// Σ z y.
  private(set) var moments: [Double]
  /// Σ y².
  private(set) var squares = 0.0

  /// Creates the sums over no rows, for z with `order` elements.
  init(order: Int) {
    self.order = order
    products = [Double](repeating: 0, count: order * (order + 1) / 2)
    moments = [Double](repeating: 0, count: order)
  }

  mutating func add(_ z: [Double], _ y: Double) {
    count += 1
    squares += y * y
    var place = 0
    for k in 0..<order {
      let factor = z[k]
      moments[k] += factor * y
      if factor == 0 {
        place += k + 1
      } else {
        for j in 0...k {
          products[place] += z[j] * factor
          place += 1
        }
      }
    }
  }

  /// Sets the number of rows and Σ y².
  mutating func set(count: Int, squares: Double) {
    self.count = count
    self.squares = squares
  }

  /// Sets element `k` of Σ z y.
  mutating func setMoment(_ k: Int, _ moment: Double) { moments[k] = moment }

  /// Sets elements (j, k) and (k, j) of Σ z z'.
  mutating func setProduct(_ j: Int, _ k: Int, _ product: Double) {
    let (row, column) = (min(j, k), max(j, k))
    products[column * (column + 1) / 2 + row] = product
  }

  static func += (left: inout SumsOfProducts, right: SumsOfProducts) {
    left.count += right.count
    left.squares += right.squares
    for place in left.products.indices { left.products[place] += right.products[place] }
    for place in left.moments.indices { left.moments[place] += right.moments[place] }
  }

  /// Returns the sums for rows that contain only the elements at `places`, which are ascending.
  func keeping(_ places: [Int]) -> SumsOfProducts {
    var kept = SumsOfProducts(order: places.count)
    kept.count = count
    kept.squares = squares
    kept.moments = places.map { moments[$0] }
    for (k, column) in places.enumerated() {
      for (j, row) in places.prefix(k + 1).enumerated() {
        kept.products[k * (k + 1) / 2 + j] = products[column * (column + 1) / 2 + row]
      }
    }
    return kept
  }

  /// Writes Σ z z' times `vector` to `product`.
  func multiply(_ vector: [Double], into product: inout [Double]) {
    var place = 0
    for k in 0..<order {
      let factor = vector[k]
      var sum = 0.0
      for j in 0..<k {
        sum += products[place] * vector[j]
        product[j] += products[place] * factor
        place += 1
      }
      product[k] = sum + products[place] * factor
      place += 1
    }
  }
}

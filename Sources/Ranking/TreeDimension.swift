internal import Features
internal import Geohash
internal import Tables

/// One property by which candidates may be told apart when a tree is grown: a coordinate, a number, a code.
struct TreeDimension: Sendable {
  /// By row.
  let keys: [Float]
  /// How much a difference of 1 (for codes: being another one) changes a score, typically.
  let weight: Float
  let isCode: Bool

  /// How much the scores of two of the members differ because of it, about: on average over pairs.
  func spread(_ members: ArraySlice<UInt32>) -> Float {
    // A sample of at most 256 is enough to choose by.
    let step = max(1, members.count / 256)
    let sample = stride(from: members.startIndex, to: members.endIndex, by: step)
    var (count, sum, squares): (Float, Float, Float) = (0, 0, 0)
    if isCode {
      var counts: [Float: Float] = [:]
      for index in sample {
        counts[keys[Int(members[index])], default: 0] += 1
        count += 1
      }
      for (_, many) in counts { squares += many * many }
      // Gini's impurity: the share of pairs with different codes.
      return weight * (1 - squares / (count * count))
    }
    let origin = keys[Int(members[members.startIndex])]
    for index in sample {
      let key = keys[Int(members[index])] - origin
      count += 1
      sum += key
      squares += key * key
    }
    let variance = squares / count - (sum / count) * (sum / count)
    // 2/√π: two draws from a normal distribution differ by so many standard deviations on average.
    return weight * (variance > 0 ? variance.squareRoot() : 0) * 1.128
  }
}

extension TreeDimension {
  /// What candidates of `ranking` differ in, for the users whose models `table` holds.
  ///
  /// Only the speed of a search depends on it.
  static func all(
    _ positions: Positions, radiusInKilometers radius: Double?, space: FeatureSpace?, table: ModelTable?
  ) -> [TreeDimension] {
    var found: [TreeDimension] = []
    var perKilometer: Float = 0
    var total: Float = 0
    if let space, let table {
      let weights = FeatureWeights(space, table)
      for (index, feature) in space.features.enumerated() {
        let weight = weights.weights[index]
        if case .distance = feature.values { perKilometer += weight }
        guard weight > 0 else { continue }
        if let numbers = feature.values.numbers {
          found.append(
            TreeDimension(keys: numbers.map { $0.isFinite ? Float($0) : 0 }, weight: weight, isCode: false))
        } else if let codes = feature.values.codes {
          found.append(TreeDimension(keys: codes.map { Float($0) }, weight: weight, isCode: true))
        }
      }
      let everybody = Array(0..<UInt32(positions.count))
      for dimension in found { total += dimension.spread(everybody[...]) }
    }
    // Whoever is out of reach counts for nothing: within a radius places matter as much as all else together.
    if let radius { perKilometer = max(perKilometer, total / Float(max(radius, 0.1))) }
    if perKilometer == 0 { perKilometer = 1e-6 }
    let vectors = (0..<positions.count).map { positions[$0].map(UnitVector.init) }
    let kilometers = GreatCircle.earthRadiusInKilometers
    for axis in [\UnitVector.x, \UnitVector.y, \UnitVector.z] {
      found.append(
        TreeDimension(
          // Those without a position stand together, away from all others.
          keys: vectors.map { Float(($0?[keyPath: axis] ?? 2) * kilometers) }, weight: perKilometer,
          isCode: false))
    }
    return found
  }
}

/// How much each feature moves scores, typically: the mean over some users of the magnitude of its coefficient.
private struct FeatureWeights {
  /// By feature.
  var weights: [Float]

  init(_ space: FeatureSpace, _ table: ModelTable) {
    weights = Array(repeating: 0, count: space.features.count)
    var model = ColumnModel()
    for user in stride(from: 0, to: table.count, by: max(1, table.count / 256)) {
      guard table.read(user, into: &model) else { continue }
      for (index, feature) in space.features.enumerated() {
        let own = model.coefficients[feature.columns]
        if case .category = feature.values {
          // Two codes differ by about the standard deviation of their coefficients.
          let mean = own.reduce(0, +) / Double(max(own.count, 1))
          let variance = own.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(max(own.count, 1))
          weights[index] += Float(variance.squareRoot() * 1.128)
        } else {
          weights[index] += Float(abs(own.first ?? 0))
        }
      }
    }
  }
}

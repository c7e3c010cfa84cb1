internal import Features
internal import Geohash
internal import RunSchemas

/// A dimension of the tree: a coordinate, a number or a code by which candidates are split.
struct TreeDimension: Sendable {
  /// One key per row.
  let keys: [Float]
  /// The typical change of a score for a difference of 1, or for a different code. The weights of all
  /// dimensions share an arbitrary factor.
  let weight: Float
  let isCode: Bool

  /// Estimates the mean difference that this dimension causes between the scores of two members, times the
  /// factor of the weights.
  func spread(_ members: ArraySlice<UInt32>) -> Float {
    // A sample of about 256 members is enough for the choice of a dimension.
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
      // The Gini impurity: the share of pairs with different codes.
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
    // 2/√π is the mean absolute difference of two normal draws, in standard deviations.
    return weight * (variance > 0 ? variance.squareRoot() : 0) * 1.128
  }
}

extension TreeDimension {
  /// Returns the coordinates on each axis in kilometers from the center of the Earth, one element per row.
  /// Candidates without a position share one point, away from all others.
  static func axes(_ vectors: [UnitVector?]) -> [[Float]] {
    func axis(_ coordinate: (UnitVector) -> Double) -> [Float] {
      vectors.map { Float(($0.map(coordinate) ?? 2) * GreatCircle.earthRadiusInKilometers) }
    }
    return [axis { $0.x }, axis { $0.y }, axis { $0.z }]
  }

  /// Returns the dimensions by which a tree may be split, weighted by their effect on the scores of `models`.
  /// The dimensions affect only the speed of a search, not its result.
  ///
  /// - Parameters:
  ///   - axes: The coordinates of the candidates, from `axes(_:)`.
  ///   - radius: The radius in kilometers; `nil` if there is none.
  ///   - models: The features and models behind the scores; `nil` to split on positions alone.
  /// - Returns: The dimensions of the features, followed by the dimensions of the positions.
  static func all(
    _ axes: [[Float]], radiusInKilometers radius: Double?, models: (space: FeatureSpace, table: ModelTable)?
  ) -> [TreeDimension] {
    var found: [TreeDimension] = []
    var perKilometer: Float = 0
    var total: Float = 0
    if let (space, table) = models {
      let weights = FeatureWeights(space, table)
      for (index, feature) in space.features.enumerated() {
        let weight = weights.weights[index]
        if feature.shape.form == .distance { perKilometer += weight }
        guard weight > 0 else { continue }
        if let numbers = feature.shape.searchedNumbers {
          found.append(
            TreeDimension(keys: numbers.map { $0.isFinite ? Float($0) : 0 }, weight: weight, isCode: false))
        } else if let codes = feature.shape.searchedCodes {
          found.append(TreeDimension(keys: codes.map { Float($0) }, weight: weight, isCode: true))
        }
      }
      let everybody = Array(0..<UInt32(axes[0].count))
      for dimension in found { total += dimension.spread(everybody[...]) }
    }
    // Candidates out of reach do not matter. With a radius, a distance of one radius therefore weighs at
    // least as much as all other dimensions together.
    if let radius { perKilometer = max(perKilometer, total / Float(max(radius, 0.1))) }
    if perKilometer == 0 { perKilometer = 1e-6 }
    return found + axes.map { TreeDimension(keys: $0, weight: perKilometer, isCode: false) }
  }
}

/// The typical effect of each feature on scores: the sum of the magnitudes of its coefficient over a sample
/// of users.
private struct FeatureWeights {
  /// One weight per feature.
  var weights: [Float]

  init(_ space: FeatureSpace, _ table: ModelTable) {
    weights = Array(repeating: 0, count: space.features.count)
    var model = ColumnModel()
    for user in stride(from: 0, to: table.count, by: max(1, table.count / 256)) {
      guard table.read(user, into: &model) else { continue }
      for (index, feature) in space.features.enumerated() {
        let own = model.coefficients[feature.columns]
        if feature.shape.form == .code {
          // On average, the contributions of two codes differ by about 1.128 standard deviations of the
          // coefficients.
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

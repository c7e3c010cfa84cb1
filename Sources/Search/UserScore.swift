internal import Features
package import RunSchemas

/// One user's predictions for `SearchedCandidates`: exact scores that equal the scores of `Scorer`, and
/// bounds for many candidates at once.
///
/// Each worker reuses one instance for all models, so nothing is allocated per user. The type is not
/// copyable, because a copy on the way to a hot loop would update the reference counts of all its arrays.
package struct UserScore: ~Copyable, Sendable {
  /// A feature whose contribution differs between candidates.
  struct ScoredFeature: Sendable {
    let form: SearchForm
    /// The index of the feature in the space.
    var feature: Int
    /// The index among the numbers, codes, shapes or vectors of `SearchLayout`.
    var slot: Int
    /// Whether a value may be missing, according to the layout.
    var hasMissing: Bool
    /// Whether the feature may be a published reason.
    var isPublic = true
    var coefficient = 0.0
    var mean = 0.0
    /// The least value that gets the second of the feature's two words.
    var wordThreshold = 0.0
    /// The user's number, for the forms `difference` and `absoluteDifference`.
    var user = 0.0
    /// The function from distances to values. Its limit is infinite if no relevant distance exceeds it.
    var distances = DistanceScale()
    /// The user's code, for the form `sameCode`.
    var code: UInt32 = 0
    /// The contribution of a missing code, or the constant of a vector.
    var missing = 0.0
    /// The start of the feature's numbers in `tables`. For a code, these are the contribution of a missing
    /// code and then the contribution of each code. For a vector, they are its coefficients.
    var table = 0
    /// The start of the feature's part of `greatest`. The part has 64 elements: the greatest contribution for
    /// each code modulo 64.
    var greatest = 0
    // The next three values are single-precision copies. The mean of a number and the user's number are
    // relative to the slot's center.
    var coefficient32: Float = 0
    var mean32: Float = 0
    var user32: Float = 0
    /// The limit of `distances`, rounded so that the bound of a score increases.
    var mostKilometers32 = Float.infinity
    /// The greatest contribution of all codes.
    var greatest32: Float = 0
    /// The contribution of an unknown distance.
    var unknown32: Float = 0
  }

  /// Returns the index of a code's contribution in the feature's part of `tables`. The missing code is the
  /// greatest `UInt32`, so its index wraps around to 0.
  @inline(__always)
  static func place(of code: UInt32) -> Int { Int(code &+ 1) }

  private(set) var base = 0.0
  private(set) var parts: [ScoredFeature] = []
  private(set) var tables: [Double] = []
  private(set) var tables32: [Float] = []
  private(set) var greatest: [Float] = []
  /// The base plus an upper bound on the rounding error of a score.
  private(set) var base32: Float = 0
  /// The maximum amount by which rounding can raise a bound above the bound in double precision.
  package private(set) var slack = 0.0
  /// Whether scores depend on the distance.
  package private(set) var dependsOnDistance = false
  /// The score of every candidate if no feature distinguishes candidates; else `nil`.
  package var constant: Double? { parts.isEmpty ? base : nil }
  /// The row of the user whose model is prepared.
  private(set) var user = 0

  package init() {}

  /// Prepares `model` for the user at row `user`.
  ///
  /// - Parameters:
  ///   - model: The user's model, on the columns of the candidates' space.
  ///   - user: Row of the user.
  ///   - candidates: The candidates to score.
  ///   - farthest: An upper bound on the distance in kilometers of the relevant candidates.
  package mutating func prepare(
    _ model: ColumnModel, user: Int, for candidates: borrowing SearchedCandidates, farthest: Double
  ) {
    removeAll()
    self.user = user
    base = model.base
    // The sum of the features' greatest contributions in magnitude. It bounds the rounding error of a score.
    var magnitude = abs(base)
    var absolute = 0.0
    let slots = candidates.layout.slots.span
    for index in slots.indices {
      let slot = slots[index]
      // The greatest magnitude of a contribution.
      let most: Double?
      switch slot.form {
      case .code: most = appendCode(of: index, slot, model)
      case .vector: most = appendVector(of: index, slot, model)
      case .distance:
        most = appendDistance(of: index, slot, model, farthest: farthest)
        if most != nil { absolute += abs(model.coefficients[slot.columns.lowerBound]) * ChordFloats.margin }
      case .number: most = appendNumber(of: index, slot, model)
      case .difference, .absoluteDifference, .sameCode, .pair:
        most = appendPair(of: index, slot, model, candidates)
      }
      // A feature without a part adds 0, as in `Scorer`. The addition turns a base of -0 into 0.
      if let most { magnitude += most } else { base += 0 }
    }
    // Each of n additions rounds by at most half a unit in the last place, 2⁻²⁴ of the sum of magnitudes.
    // Each contribution rounds by a few such units.
    let error = magnitude * Double(parts.count + 8) * 0x1p-23 + absolute + 1e-30
    slack = 2 * error
    base32 = error < 1e30 ? Float(base + error).nextUp : .infinity
  }

  /// Prepares the order by distance alone: nearer candidates come first, and unknown distances come last.
  ///
  /// - Parameters:
  ///   - farthest: An upper bound on the distance in kilometers of the relevant candidates.
  ///   - unknown: The bound of a candidate at an unknown distance.
  package mutating func prepareDistance(farthest: Double, unknown: Float = -.infinity) {
    removeAll()
    var part = ScoredFeature(
      form: .distance, feature: 0, slot: 0, hasMissing: false, coefficient: -1, coefficient32: -1)
    part.unknown32 = unknown
    parts.append(part)
    dependsOnDistance = true
    slack = .infinity
    base32 = Float(ChordFloats.margin + min(farthest, 20_016) * 0x1p-20)
  }

  private mutating func removeAll() {
    parts.removeAll(keepingCapacity: true)
    tables.removeAll(keepingCapacity: true)
    tables32.removeAll(keepingCapacity: true)
    greatest.removeAll(keepingCapacity: true)
    dependsOnDistance = false
    base = 0
  }

}

// MARK: Preparation of features

// Each `append` function adds one feature to `parts`, and returns the greatest magnitude of its
// contributions. It returns `nil` for a feature that always contributes 0, which is left out.
extension UserScore {
  /// Returns a feature with one coefficient; `nil` if the coefficient is 0.
  @inline(__always)
  private static func scored(
    _ index: Int, _ slot: SearchLayout.Slot, _ model: ColumnModel
  ) -> ScoredFeature? {
    let column = slot.columns.lowerBound
    let (coefficient, mean) = (model.coefficients[column], model.means[column])
    guard coefficient != 0 else { return nil }
    return ScoredFeature(
      form: slot.form, feature: index, slot: slot.index, hasMissing: slot.hasMissing, isPublic: slot.isPublic,
      coefficient: coefficient, mean: mean, wordThreshold: slot.wordThreshold ?? mean,
      coefficient32: Float(coefficient), mean32: Float(mean))
  }

  private mutating func appendNumber(
    of index: Int, _ slot: SearchLayout.Slot, _ model: ColumnModel
  ) -> Double? {
    guard var part = Self.scored(index, slot, model) else { return nil }
    part.mean32 = Float(part.mean - slot.center)
    parts.append(part)
    return abs(part.coefficient) * (slot.reach + abs(part.mean - slot.center))
  }

  private mutating func appendDistance(
    of index: Int, _ slot: SearchLayout.Slot, _ model: ColumnModel, farthest: Double
  ) -> Double? {
    guard var part = Self.scored(index, slot, model) else { return nil }
    dependsOnDistance = true
    part.distances = slot.distances
    if slot.distances.most < farthest {
      let rounded = Float(slot.distances.most)
      part.mostKilometers32 = part.coefficient < 0 ? rounded.nextDown : rounded.nextUp
    } else {
      part.distances.most = .infinity
    }
    parts.append(part)
    return abs(part.coefficient) * (part.distances(min(farthest, 20_016)) + abs(part.mean))
  }

  /// Adds a feature whose values depend on both the user and the candidate.
  private mutating func appendPair(
    of index: Int, _ slot: SearchLayout.Slot, _ model: ColumnModel, _ candidates: borrowing SearchedCandidates
  ) -> Double? {
    guard var part = Self.scored(index, slot, model) else { return nil }
    let own = candidates.space.features[index].shape.own(ofUser: user)
    guard !own.isMissing else { return nil }
    // The values of all other forms are flags or shares, with magnitudes up to 1.
    var reach = 1.0
    if slot.form == .difference || slot.form == .absoluteDifference {
      part.user = own.number
      part.user32 = Float(own.number - slot.center)
      reach = slot.reach + abs(own.number - slot.center)
    }
    part.code = own.code
    parts.append(part)
    return abs(part.coefficient) * (reach + abs(part.mean))
  }

  private mutating func appendCode(
    of index: Int, _ slot: SearchLayout.Slot, _ model: ColumnModel
  ) -> Double? {
    let columns = slot.columns
    var part = ScoredFeature(
      form: .code, feature: index, slot: slot.index, hasMissing: slot.hasMissing, isPublic: slot.isPublic)
    let own = UInt32(columns.lowerBound)..<UInt32(columns.upperBound)
    // Terms are added in the model's order, because a floating-point sum depends on the order.
    var sum = 0.0
    for column in model.columns where own.contains(column) {
      sum += model.coefficients[Int(column)] * model.means[Int(column)]
    }
    // The sum is subtracted from 0, because `-sum` could be -0.
    let unseen = 0 - sum
    part.missing = model.missingCategory == .baseline ? unseen : 0
    (part.table, part.greatest) = (tables.count, greatest.count)
    tables.append(part.missing)
    tables32.append(Float(part.missing))
    greatest += repeatElement(-.infinity, count: 64)
    var magnitude = abs(part.missing)
    for code in 0..<columns.count {
      let contribution = unseen + model.coefficients[columns.lowerBound + code]
      let rounded = Float(contribution)
      tables.append(contribution)
      tables32.append(rounded)
      let place = part.greatest + code % 64
      if rounded > greatest[place] { greatest[place] = rounded }
      magnitude = max(magnitude, abs(contribution))
    }
    if magnitude == 0 {
      tables.removeLast(tables.count - part.table)
      tables32.removeLast(tables32.count - part.table)
      greatest.removeLast(64)
      return nil
    }
    part.greatest32 = greatest[part.greatest...].max() ?? 0
    parts.append(part)
    return magnitude
  }

  private mutating func appendVector(
    of index: Int, _ slot: SearchLayout.Slot, _ model: ColumnModel
  ) -> Double? {
    guard slot.columns.contains(where: { model.coefficients[$0] != 0 }) else { return nil }
    var part = ScoredFeature(
      form: .vector, feature: index, slot: slot.index, hasMissing: slot.hasMissing, isPublic: slot.isPublic)
    part.table = tables.count
    var (squares, sum) = (0.0, 0.0)
    for column in slot.columns {
      let coefficient = model.coefficients[column]
      tables.append(coefficient)
      // Both tables share the same indices, so `tables32` also gets the coefficients of vectors.
      tables32.append(Float(coefficient))
      squares += coefficient * coefficient
      sum += coefficient * model.means[column]
    }
    part.missing = -sum
    parts.append(part)
    return squares.squareRoot() * slot.reach + abs(part.missing)
  }
}

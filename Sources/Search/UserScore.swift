internal import Columns
internal import Features
package import RunSchemas

/// One user's predictions for `SearchedCandidates`: exactly those of `Scorer`, and bounds of them for many candidates
/// at once.
///
/// A worker keeps one and lays out one model after the other in it: nothing is allocated per user. It cannot be copied, as
/// a copy on the way to a hot loop would count references to all of its arrays.
package struct UserScore: ~Copyable, Sendable {
  enum Kind: UInt8 {
    case category, number, distance, same, difference, absoluteDifference, overlap, follows, text
  }

  /// One feature that tells candidates apart.
  struct Part: Sendable {
    let kind: Kind
    /// Index in the space.
    var feature: Int
    /// Among the numbers or codes of a candidate.
    var slot: Int
    /// What `FeatureSummary` and the layout say of the values.
    var hasMissing: Bool
    /// Whether users may be told.
    var isPublic = true
    var coefficient = 0.0
    var mean = 0.0
    /// The user's number.
    var user = 0.0
    /// The user's code.
    var code: UInt32 = 0
    /// Of a category: the contribution of a missing one. Of text: the constant.
    var missing = 0.0
    /// Where its numbers begin in `tables`. Of a category: the contribution of a missing one, then those by code; of
    /// text: its coefficients.
    var table = 0
    /// Of a category: where the greatest contributions by code modulo 64 begin in `greatest`.
    var greatest = 0
    // The same in single precision, numbers less the center of the slot.
    var coefficient32: Float = 0
    var mean32: Float = 0
    var user32: Float = 0
    /// Of a category: the greatest contribution of any code.
    var greatest32: Float = 0
    /// What an unknown distance adds.
    var unknown32: Float = 0
  }

  /// Where the contribution of a code stands in a part's numbers: a missing one, which is the largest number, first.
  @inline(__always)
  static func place(of code: UInt32) -> Int { Int(code &+ 1) }

  private(set) var base = 0.0
  private(set) var parts: [Part] = []
  private(set) var tables: [Double] = []
  private(set) var tables32: [Float] = []
  private(set) var greatest: [Float] = []
  /// The base, and what rounding may take off a score.
  private(set) var base32: Float = 0
  /// At most how much rounding puts a bound above the one in double precision.
  package private(set) var slack = 0.0
  /// Whether scores differ by distance.
  package private(set) var dependsOnDistance = false
  /// What everybody scores, where the model tells nobody apart.
  package var constant: Double? { parts.isEmpty ? base : nil }
  /// Row of the user whose model is laid out.
  private(set) var user = 0

  package init() {}

  /// Lays out `model` for the user at row `user`.
  ///
  /// - Parameters:
  ///   - model: On the columns of the candidates' space.
  ///   - user: Row of the user.
  ///   - candidates: Whose scores will be asked for.
  ///   - farthest: Kilometres that no candidate in question is beyond.
  package mutating func prepare(
    _ model: ColumnModel, user: Int, for candidates: borrowing SearchedCandidates, farthest: Double
  ) {
    removeAll()
    self.user = user
    base = model.base
    // A feature that tells nobody apart adds 0, as it does in `Scorer`: -0 becomes 0.
    // The sum of the greatest magnitudes, on which the rounding error of a sum depends.
    var magnitude = abs(base)
    var absolute = 0.0
    let slots = candidates.layout.slots.span
    for index in slots.indices {
      let slot = slots[index]
      let first = slot.columns.lowerBound
      // A category whose vocabulary is empty has no column.
      let (coefficient, mean) =
        slot.columns.isEmpty ? (0, 0) : (model.coefficients[first], model.means[first])
      var part = Part(
        kind: slot.kind, feature: index, slot: slot.index, hasMissing: slot.hasMissing,
        isPublic: slot.isPublic, coefficient: coefficient, mean: mean,
        coefficient32: Float(coefficient), mean32: Float(mean - slot.center))
      var reach = slot.reach + abs(mean - slot.center)
      switch slot.kind {
      case .category:
        magnitude += appendCategory(part, slot.columns, model)
        continue
      case .number:
        if coefficient == 0 { base += 0; continue }
      case .distance:
        if coefficient == 0 { base += 0; continue }
        part.mean32 = Float(mean)
        dependsOnDistance = true
        reach = min(farthest, 20_016) + abs(mean)
        absolute += abs(coefficient) * ChordFloats.margin
      case .same:
        let own = candidates.space.features[index].values.code(ofUser: user)
        if coefficient == 0 || own == CategoryColumn.missing { base += 0; continue }
        part.code = own
        part.mean32 = Float(mean)
        reach = 1 + abs(mean)
      case .difference, .absoluteDifference:
        let own = candidates.space.features[index].values.number(ofUser: user)
        if coefficient == 0 || own.isNaN { base += 0; continue }
        part.user = own
        part.user32 = Float(own - slot.center)
        part.mean32 = Float(mean)
        reach = slot.reach + abs(own - slot.center) + abs(mean)
      case .overlap:
        if coefficient == 0 || candidates.space.features[index].values.hasNoSet(ofUser: user) {
          base += 0
          continue
        }
        reach = 1 + abs(mean)
      case .follows:
        if coefficient == 0 { base += 0; continue }
        reach = 1 + abs(mean)
      case .text:
        magnitude += appendText(part, slot.columns, model)
        continue
      }
      magnitude += abs(coefficient) * reach
      parts.append(part)
    }
    // Each of n sums rounds by half a unit of the last place, 2⁻²⁴ of the sum of magnitudes; each contribution by a few.
    let error = magnitude * Double(parts.count + 8) * 0x1p-23 + absolute + 1e-30
    slack = 2 * error
    base32 = error < 1e30 ? Float(base + error).nextUp : .infinity
  }

  /// Lays out the order by distance alone: nearer is better, unknown is last.
  ///
  /// - Parameter farthest: Kilometres that no candidate in question is beyond.
  package mutating func prepareDistance(farthest: Double) {
    removeAll()
    var part = Part(
      kind: .distance, feature: 0, slot: 0, hasMissing: false, coefficient: -1, coefficient32: -1)
    part.unknown32 = -.infinity
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

  /// - Returns: The greatest magnitude of a contribution.
  private mutating func appendCategory(
    _ part: Part, _ columns: Range<Int>, _ model: ColumnModel
  ) -> Double {
    var part = part
    let own = UInt32(columns.lowerBound)..<UInt32(columns.upperBound)
    // In the model's own order of terms: a sum has one order.
    var sum = 0.0
    for column in model.columns where own.contains(column) {
      sum += model.coefficients[Int(column)] * model.means[Int(column)]
    }
    // Not `-sum`, which may be -0.
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
      base += 0
      return 0
    }
    part.greatest32 = greatest[part.greatest...].max() ?? 0
    // `tables` holds the coefficients of texts as well, so both keep the same places.
    parts.append(part)
    return magnitude
  }

  /// - Returns: The greatest magnitude of a contribution.
  private mutating func appendText(
    _ part: Part, _ columns: Range<Int>, _ model: ColumnModel
  ) -> Double {
    guard columns.contains(where: { model.coefficients[$0] != 0 }) else {
      base += 0
      return 0
    }
    var part = part
    part.table = tables.count
    var (squares, sum) = (0.0, 0.0)
    for column in columns {
      let coefficient = model.coefficients[column]
      tables.append(coefficient)
      tables32.append(Float(coefficient))
      squares += coefficient * coefficient
      sum += coefficient * model.means[column]
    }
    part.missing = -sum
    parts.append(part)
    return squares.squareRoot() * 1.001 + abs(part.missing)
  }
}

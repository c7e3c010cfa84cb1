internal import Columns

/// A compact summary of one feature in a group of candidates, from which bounds are computed. All shapes
/// share this layout, but each shape fills and reads it in its own way.
///
/// The set of codes is stored modulo 64. It is exact for vocabularies of up to 64 words. For larger
/// vocabularies, it can contain additional codes, which only loosen the bound. Distances have no summary,
/// because their bounds are computed from the positions of the group (`GroupDistances`).
package struct FeatureSummary: Hashable, Sendable {
  package var low = Double.infinity
  package var high = -Double.infinity
  package var codes: UInt64 = 0
  package var hasMissing = false

  /// Creates the summary of an empty group.
  package init() {}

  package var hasValues: Bool { low <= high }

  /// Extends this summary by the candidates of `other`.
  package mutating func formUnion(_ other: FeatureSummary) {
    low = min(low, other.low)
    high = max(high, other.high)
    codes |= other.codes
    hasMissing = hasMissing || other.hasMissing
  }

  /// Returns the bit of `code` in `codes`.
  package static func bit(_ code: UInt32) -> UInt64 { 1 << UInt64(code % 64) }
}

/// A function that returns the range of a feature's values in a group of candidates, for one user.
///
/// Rounding must not put a value outside the range. The functions therefore apply the same operations to the
/// extremes of the group as to a single value.
package typealias ValueBound = @Sendable (FeatureSummary, GroupDistances) -> ValueRange

/// The range of the distances from a user to a group of candidates, in kilometers, rounded outward.
package struct GroupDistances: Sendable {
  /// The range of the known distances; `nil` if no distance is known.
  package var known: (least: Double, most: Double)?
  /// Whether some distances are unknown.
  package var hasUnknown: Bool

  package init(known: (least: Double, most: Double)? = nil, hasUnknown: Bool = true) {
    self.known = known
    self.hasUnknown = hasUnknown
  }
}

/// The range of a feature's values, from `low` to `high`. The range is empty if `low` is greater than `high`.
package struct ValueRange {
  package var low: Double
  package var high: Double
  /// Whether some values may be missing.
  package var hasMissing: Bool

  package init(low: Double, high: Double, hasMissing: Bool) {
    self.low = low
    self.high = high
    self.hasMissing = hasMissing
  }

  /// Returns an empty range, for a group without values.
  package static func none(hasMissing: Bool) -> ValueRange {
    ValueRange(low: .infinity, high: -.infinity, hasMissing: hasMissing)
  }
}

extension FeatureSummary {
  /// Creates the summary of one candidate's number, which may be missing.
  package init(number: Double) {
    if number.isNaN { hasMissing = true } else { (low, high) = (number, number) }
  }

  /// Creates the summary of one candidate's code, which may be missing.
  package init(code: UInt32) {
    if code == CategoryColumn.missing { hasMissing = true } else { codes = Self.bit(code) }
  }

  /// Returns the range of a flag that is 1 if the candidate's code is among the user's codes, otherwise 0.
  /// `own` is the bit set of the user's codes modulo 64.
  package func range(ofFlag own: UInt64) -> ValueRange {
    // The lower end is 0, because different codes can be equal modulo 64.
    guard codes != 0 else { return .none(hasMissing: hasMissing) }
    return ValueRange(low: 0, high: codes & own != 0 ? 1 : 0, hasMissing: hasMissing)
  }
}

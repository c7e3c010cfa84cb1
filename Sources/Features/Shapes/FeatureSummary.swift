internal import Columns

/// The range of one feature in a group of candidates: everything a bound needs, in a few words. All shapes share this layout;
/// each shape fills and reads it in its own way.
///
/// Codes are kept modulo 64: exact for vocabularies up to 64 words, else a superset, which only loosens the bound. Distances are
/// not summarized, because the code that groups candidates already knows their positions.
package struct FeatureSummary: Hashable, Sendable {
  package var low = Double.infinity
  package var high = -Double.infinity
  package var codes: UInt64 = 0
  package var hasMissing = false

  /// The summary of an empty group.
  package init() {}

  package var hasValues: Bool { low <= high }

  package mutating func formUnion(_ other: FeatureSummary) {
    low = min(low, other.low)
    high = max(high, other.high)
    codes |= other.codes
    hasMissing = hasMissing || other.hasMissing
  }

  package static func bit(_ code: UInt32) -> UInt64 { 1 << UInt64(code % 64) }
}

/// In which range the values of a group lie for one user.
///
/// Worked out by the same operations as the values, from extreme ones, so that rounding puts none outside.
package typealias ValueBound = @Sendable (FeatureSummary, GroupDistances) -> ValueRange

/// How far a group is from the user: the least and the greatest kilometers of those whose distance is known, both rounded
/// outwards.
package struct GroupDistances: Sendable {
  /// `nil` where no distance is known.
  package var known: (least: Double, most: Double)?
  /// Whether some are unknown.
  package var hasUnknown: Bool

  package init(known: (least: Double, most: Double)? = nil, hasUnknown: Bool = true) {
    self.known = known
    self.hasUnknown = hasUnknown
  }
}

/// Values from `low` to `high`, empty if `low` is greater; some may be missing.
package struct ValueRange {
  package var low: Double
  package var high: Double
  package var hasMissing: Bool

  package init(low: Double, high: Double, hasMissing: Bool) {
    self.low = low
    self.high = high
    self.hasMissing = hasMissing
  }

  /// No value, in a group where some may be missing.
  package static func none(hasMissing: Bool) -> ValueRange {
    ValueRange(low: .infinity, high: -.infinity, hasMissing: hasMissing)
  }
}

extension FeatureSummary {
  /// The summary of one candidate's number, which may be missing.
  package init(number: Double) {
    if number.isNaN { hasMissing = true } else { (low, high) = (number, number) }
  }

  /// The summary of one candidate's code, which may be missing.
  package init(code: UInt32) {
    if code == CategoryColumn.missing { hasMissing = true } else { codes = Self.bit(code) }
  }

  /// In which range flags lie that are 1 where the candidate's code is among `own`, which are modulo 64, and else 0.
  package func range(ofFlag own: UInt64) -> ValueRange {
    // A code that is there may be beside the user's own, or share its place modulo 64 alone: it may always be 0.
    guard codes != 0 else { return .none(hasMissing: hasMissing) }
    return ValueRange(low: 0, high: codes & own != 0 ? 1 : 0, hasMissing: hasMissing)
  }
}

internal import Columns
package import Features

/// Where the values of each feature stand in the rows of a search.
package struct SearchLayout: Sendable {
  /// One feature.
  ///
  /// All that a model needs to be laid out: features themselves hold arrays, whose references a copy would count.
  struct Slot: Sendable {
    let kind: UserScore.Kind
    let columns: Range<Int>
    /// Whether users may be told.
    let isPublic: Bool
    /// Among the numbers or the codes of a candidate, depending on the feature's kind.
    var index = 0
    /// Numbers are kept in single precision as what they are more than this, so that few digits are enough.
    var center = 0.0
    /// The most that a number differs from the center.
    var reach = 0.0
    var hasMissing = false
  }

  /// By feature.
  private(set) var slots: [Slot] = []
  private(set) var numberCount = 0
  private(set) var codeCount = 0

  package init(_ space: FeatureSpace) {
    for feature in space.features {
      var slot = Slot(kind: feature.values.kind, columns: feature.columns, isPublic: feature.isPublic)
      if let numbers = feature.values.numbers {
        slot.index = numberCount
        numberCount += 1
        var (low, high) = (Double.infinity, -Double.infinity)
        for number in numbers {
          if number.isNaN { slot.hasMissing = true }
          // A comparison with NaN is false.
          if number < low { low = number }
          if number > high { high = number }
        }
        if low <= high {
          slot.center = low / 2 + high / 2
          slot.reach = max(high - slot.center, slot.center - low)
        }
      } else if let codes = feature.values.codes {
        slot.index = codeCount
        codeCount += 1
        slot.hasMissing = codes.contains(CategoryColumn.missing)
      }
      slots.append(slot)
    }
  }
}

extension FeatureValues {
  /// How it is scored.
  fileprivate var kind: UserScore.Kind {
    switch self {
    case .category: .category
    case .number, .received, .computed: .number
    case .distance: .distance
    case .same: .same
    case .difference(_, _, let isAbsolute): isAbsolute ? .absoluteDifference : .difference
    case .overlap: .overlap
    case .follows: .follows
    case .text: .text
    }
  }

  /// The candidates' numbers, of a feature that has one each.
  package var numbers: [Double]? {
    switch self {
    case .number(let values, _, _): values
    case .received(let rates): rates.values
    case .computed(let computed): computed.values
    case .difference(_, let values, _): values
    case .category, .distance, .same, .overlap, .follows, .text: nil
    }
  }

  /// The candidates' codes, of a feature that has one each.
  package var codes: [UInt32]? {
    switch self {
    case .category(let codes, _): codes
    case .same(_, let codes): codes
    case .number, .received, .computed, .distance, .difference, .overlap, .follows, .text: nil
    }
  }
}

internal import Columns
package import Features

/// Where a search row stores the values of each feature.
package struct SearchLayout: Sendable {
  /// One feature.
  ///
  /// The data needed to lay out a model. Features themselves hold arrays, and a copy would count references to them.
  struct Slot: Sendable {
    let form: SearchForm
    let columns: Range<Int>
    /// Whether it may be a published reason.
    let isPublic: Bool
    /// See `ValueShape`.
    var wordThreshold: Double?
    /// Among the numbers, the codes or the shapes of the layout, depending on the form.
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
  /// The shapes whose values are computed pair by pair.
  private(set) var pairs: [any ValueShape] = []
  private(set) var vectors: [TextVectors] = []

  package init(_ space: FeatureSpace) {
    for feature in space.features {
      var slot = Slot(form: feature.shape.form, columns: feature.columns, isPublic: feature.isPublic)
      switch feature.shape.terms {
      case .codes(let codes):
        add(codes: codes, to: &slot)
      case .value(let shape):
        slot.wordThreshold = shape.wordThreshold
        if let numbers = shape.candidateNumbers {
          add(numbers: numbers, to: &slot)
        } else if let codes = shape.candidateCodes {
          add(codes: codes, to: &slot)
        } else {
          slot.index = pairs.count
          pairs.append(shape)
        }
      case .vector(let own):
        slot.index = vectors.count
        vectors.append(own)
      }
      slots.append(slot)
    }
  }

  private mutating func add(codes: [UInt32], to slot: inout Slot) {
    slot.index = codeCount
    codeCount += 1
    slot.hasMissing = codes.contains(CategoryColumn.missing)
  }

  private mutating func add(numbers: [Double], to slot: inout Slot) {
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
  }
}

extension FeatureShape {
  /// By candidate: the numbers of a shape that a search keeps one of.
  var searchedNumbers: [Double]? {
    if case .value(let shape) = terms { shape.candidateNumbers } else { nil }
  }

  /// By candidate: the codes of a shape that a search keeps one of.
  var searchedCodes: [UInt32]? {
    switch terms {
    case .codes(let codes): codes
    case .value(let shape): shape.candidateCodes
    case .vector: nil
    }
  }
}

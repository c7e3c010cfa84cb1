internal import Columns
package import Features

/// The layout in which `SearchedCandidates` stores the values of each feature.
package struct SearchLayout: Sendable {
  /// The location of one feature's values, and other data for the preparation of a model.
  ///
  /// Hot loops use slots instead of features, because copying a feature would update the reference counts of
  /// its arrays.
  struct Slot: Sendable {
    let form: SearchForm
    let columns: Range<Int>
    /// Whether the feature may be a published reason.
    let isPublic: Bool
    /// The least value that gets the second of the feature's two words; see `ValueShape`.
    var wordThreshold: Double?
    /// The index among the numbers, codes, shapes or vectors of the layout, depending on the form.
    var index = 0
    /// The center of the numbers. Single-precision copies contain differences from the center, because
    /// differences need fewer digits.
    var center = 0.0
    /// The greatest absolute difference of a number from the center, or the greatest norm of a vector.
    var reach = 0.0
    /// The function from distances to values, for the form `distance`.
    var distances = DistanceScale()
    var hasMissing = false
  }

  /// One slot per feature.
  private(set) var slots: [Slot] = []
  private(set) var numberCount = 0
  private(set) var codeCount = 0
  /// The features whose values are computed for each pair of a user and a candidate.
  private(set) var pairs: [any ValueShape] = []
  private(set) var vectors: [CandidateVectors] = []

  package init(_ space: FeatureSpace) {
    for feature in space.features {
      var slot = Slot(form: feature.shape.form, columns: feature.columns, isPublic: feature.isPublic)
      switch feature.shape.terms {
      case .codes(let codes):
        add(codes: codes, to: &slot)
      case .value(let shape):
        slot.wordThreshold = shape.wordThreshold
        if let distance = shape as? DistanceShape { slot.distances = distance.scale }
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
        slot.reach = own.greatestNorm
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
      // A comparison with NaN is false, so NaN changes neither end.
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
  /// The number of each candidate; `nil` if the search does not store this feature as a number.
  var searchedNumbers: [Double]? {
    if case .value(let shape) = terms { shape.candidateNumbers } else { nil }
  }

  /// The code of each candidate; `nil` if the search does not store this feature as a code.
  var searchedCodes: [UInt32]? {
    switch terms {
    case .codes(let codes): codes
    case .value(let shape): shape.candidateCodes
    case .vector: nil
    }
  }
}

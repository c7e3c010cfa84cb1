internal import PipelineFile
internal import Search
internal import Text

/// How often lists show each candidate.
struct CandidateExposure: Sendable {
  /// The number of lists of each candidate.
  private(set) var lists: [Int]
  /// The sum of the chances that the users of these lists like the candidate.
  private(set) var likes: [Double]
  /// The total value of all entries.
  private(set) var value = 0.0

  init(candidates: Int) {
    lists = [Int](repeating: 0, count: candidates)
    likes = [Double](repeating: 0, count: candidates)
  }

  mutating func add(_ entry: PoolEntry) {
    lists[entry.found.candidate] += 1
    likes[entry.found.candidate] += Double(entry.chance)
    value += entry.value
  }

  /// Whether no candidate is above the ceiling, and no listable candidate is below the floor.
  func isWithin(_ limits: Pipeline.ExposureLimits, _ isListable: [Bool]) -> Bool {
    switch limits.ceiling {
    case .lists(let most): if lists.contains(where: { $0 > most }) { return false }
    case .likes(let most): if likes.contains(where: { $0 > most }) { return false }
    case nil: break
    }
    return !zip(lists, isListable).contains { $0 < limits.least && $1 }
  }
}

/// What the limits on exposure did to the lists of one ranking.
struct ExposureSummary: Sendable {
  /// The number of candidates for whom the ceiling leaves no room for one more list. A list counts as one like.
  private let atCeiling: Int
  /// The number of listable candidates on fewer lists than the floor.
  private let belowFloor: Int
  /// The total value of the lists.
  private let value: Double
  /// The total value of the lists without limits.
  private let unlimited: Double

  /// - Parameters:
  ///   - exposure: The exposure by the lists.
  ///   - limits: The limits.
  ///   - isListable: Whether the rules for candidates let each candidate be on lists.
  ///   - unlimited: The total value of the lists without limits.
  init(
    _ exposure: CandidateExposure, _ limits: Pipeline.ExposureLimits, _ isListable: [Bool], unlimited: Double
  ) {
    switch limits.ceiling {
    case .lists(let most): atCeiling = exposure.lists.count { $0 >= most }
    case .likes(let most): atCeiling = exposure.likes.count { $0 > most - 1 && $0 > 0 }
    case nil: atCeiling = 0
    }
    belowFloor = zip(exposure.lists, isListable).count { $0 < limits.least && $1 }
    (value, self.unlimited) = (exposure.value, unlimited)
  }

  var json: JSONValue {
    [
      "at_ceiling": .integer(atCeiling), "below_floor": .integer(belowFloor), "value": .number(value),
      "value_without_limits": .number(unlimited),
    ]
  }
}

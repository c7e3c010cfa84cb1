internal import PipelineFile
internal import Text

/// What the limits on exposure did to the lists of one ranking.
struct ExposureSummary: Sendable {
  /// The number of candidates on as many lists as their ceiling allows.
  private let atCeiling: Int
  /// The number of listable candidates on fewer lists than the floor.
  private let belowFloor: Int
  /// The total value of the lists.
  private let value: Double
  /// The total value of the lists without limits.
  private var unlimited = 0.0

  init(
    _ assignment: ListAssignment, _ limits: Pipeline.ExposureLimits, most: [Int], isListable: [Bool]
  ) {
    atCeiling =
      limits.ceiling == nil
      ? 0 : zip(assignment.appearances, most).count { $0 >= $1 && $0 > 0 }
    belowFloor = zip(assignment.appearances, isListable).count { $0 < limits.least && $1 }
    value = assignment.total
  }

  /// Adds the entries of one list without limits.
  mutating func addUnlimited(_ entries: ArraySlice<PoolEntry>) {
    for entry in entries { unlimited += Double(entry.value) }
  }

  var json: JSONValue {
    [
      "at_ceiling": .integer(atCeiling), "below_floor": .integer(belowFloor), "value": .number(value),
      "value_without_limits": .number(unlimited),
    ]
  }
}

internal import Columns
package import PipelineFile
package import RunSchemas

/// The sort keys of candidates, most significant first.
///
/// This type is a class because all threads share it. Copying a struct would update the reference counts of
/// all columns for each user.
package final class CandidateKeys: Sendable {
  private enum OrderValues: Sendable {
    case score
    case distance
    /// One value per candidate, smaller values first; infinity for a candidate without a value.
    case values([Double])
  }

  private let keys: [OrderValues]

  package init(_ keys: [Pipeline.OrderKey], of candidates: EntityTable) {
    self.keys = keys.map { key in
      switch key {
      case .score: .score
      case .distance: .distance
      case .newest: .values(Self.instants(candidates.created, isDescending: true))
      case .attribute(let name, let isDescending):
        .values(Self.column(name, of: candidates, isDescending: isDescending))
      }
    }
  }

  private static func column(_ name: String, of table: EntityTable, isDescending: Bool) -> [Double] {
    if let numbers = table.number(name) {
      return numbers.elements.map { $0.isNaN ? .infinity : isDescending ? -$0 : $0 }
    }
    guard let dates = table.dates[name] else {
      preconditionFailure("the snapshot lacks '\(name)', the sort key of the candidates")
    }
    return instants(dates, isDescending: isDescending)
  }

  /// Returns the sort values of a column of times. A `Double` represents milliseconds since 1970 exactly.
  private static func instants(_ column: Column<Int64>?, isDescending: Bool) -> [Double] {
    guard let column else { preconditionFailure("the snapshot lacks the creation times of the candidates") }
    return column.elements.map { $0 == .min ? .infinity : isDescending ? -Double($0) : Double($0) }
  }

  /// Returns numbers that order candidates as these keys do, except among candidates that are equal in
  /// all keys up to the first score or distance. `count` is the number of candidates.
  package func values(count: Int) -> KeyValues {
    var columns: [[Double]] = []
    for case .values(let values) in keys.prefix(while: { if case .values = $0 { true } else { false } }) {
      columns.append(values)
    }
    let last: KeyValues.Measure? =
      switch keys.dropFirst(columns.count).first {
      case .score: .score
      case .distance: .distance
      case .values, nil: nil
      }
    return KeyValues(columns, last, count: count)
  }

  /// Returns whether the keys order `left` before `right`; `nil` if all keys are equal.
  package func precedes(_ left: Recommendation, _ right: Recommendation) -> Bool? {
    for key in keys {
      let isBefore =
        switch key {
        case .score: RecommendationOrder.precedesByScore(left, right)
        case .distance: RecommendationOrder.precedesByDistance(left, right)
        case .values(let values):
          values[left.candidate] == values[right.candidate]
            ? nil : values[left.candidate] < values[right.candidate]
        }
      if let isBefore { return isBefore }
    }
    return nil
  }

  /// Returns whether the keys order the row `left` before the row `right`; `nil` if all keys are equal. Keys
  /// by score or distance are ignored, because a row alone has neither a score nor a distance.
  package func precedes(row left: Int, _ right: Int) -> Bool? {
    for case .values(let values) in keys where values[left] != values[right] {
      return values[left] < values[right]
    }
    return nil
  }
}

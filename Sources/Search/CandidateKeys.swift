internal import Columns
package import PipelineFile
package import RunSchemas

/// The keys that candidates are ordered by, one after the other.
///
/// One for all threads, and so a class: lists would count references to all columns for each user.
package final class CandidateKeys: Sendable {
  private enum OrderValues: Sendable {
    case score
    case distance
    /// By candidate, smallest first; infinite for a candidate without a value.
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
      preconditionFailure("the snapshot does not hold '\(name)', which candidates are ordered by")
    }
    return instants(dates, isDescending: isDescending)
  }

  /// Milliseconds since 1970 are doubles exactly.
  private static func instants(_ column: Column<Int64>?, isDescending: Bool) -> [Double] {
    guard let column else { preconditionFailure("the snapshot does not hold when candidates were created") }
    return column.elements.map { $0 == .min ? .infinity : isDescending ? -Double($0) : Double($0) }
  }

  /// Whether the keys put `left` before `right`; `nil` where all are equal.
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

  /// Whether the keys put the row `left` before `right` on a list that belongs to no user, where nothing has a score or is
  /// near; `nil` where all are equal.
  package func precedes(row left: Int, _ right: Int) -> Bool? {
    for case .values(let values) in keys where values[left] != values[right] {
      return values[left] < values[right]
    }
    return nil
  }
}

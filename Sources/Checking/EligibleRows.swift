internal import Columns
internal import Ingest
internal import PipelineFile
internal import RunSchemas
internal import Text

extension EntityRows {
  /// By number of the identity: whether the entity is kept, has none of the flags that `ranking` excludes, and meets its
  /// conditions at the as-of time.
  func eligible(under ranking: Pipeline.Ranking, isKept: [Bool], asOf: Instant) -> [Bool] {
    var eligible = isKept
    for exclusion in ranking.exclusions {
      switch exclusion {
      case .flagged(let name):
        let column = values(name)
        eligible.restrict { column.flags[$0] == 0 }
      case .notFlagged(let name):
        let column = values(name)
        eligible.restrict { column.flags[$0] != 0 }
      case .unless(let condition): eligible.restrict(meets(condition, asOf))
      case .oneself, .interacted, .vetoed, .friends, .unwished, .unasked: break
      }
    }
    return eligible
  }

  /// By number of the identity: whether the entity is one of `kept` and meets all `conditions` at the as-of time.
  func meeting(_ conditions: [Pipeline.Condition], among kept: [Bool], asOf: Instant) -> [Bool] {
    var meeting = kept
    for condition in conditions { meeting.restrict(meets(condition, asOf)) }
    return meeting
  }

  private func values(_ name: String) -> AttributeValues {
    guard let index = entity.attributes.firstIndex(where: { $0.name == name }) else {
      preconditionFailure("a checked ranking asks for '\(name)', which '\(entity.name)' has not")
    }
    return attributes[index]
  }

  private func meets(_ condition: Pipeline.Condition, _ asOf: Instant) -> (_ row: Int) -> Bool {
    switch condition {
    case .flagged(let name):
      let column = values(name)
      return { column.flags[$0] != 0 }
    case .notFlagged(let name):
      let column = values(name)
      return { column.flags[$0] == 0 }
    case .noneOf(let name, let words):
      let hasOne = meets(.oneOf(name, words), asOf)
      return { !hasOne($0) }
    case .within(let name, let range):
      if entity.computedAttribute(name) != nil { return { _ in true } }
      let column = values(name)
      if column.type == .date {
        return { column.instants[$0] != .min && range.contains(Double(column.instants[$0])) }
      }
      return { range.contains(column.numbers[$0]) }
    case .known(let name):
      let column = values(name)
      return { column.type == .tags ? !column.sets[$0].isEmpty : column.codes[$0] != CategoryColumn.missing }
    case .oneOf(let name, let words):
      let (column, words) = (values(name), words.map { Array($0.utf8) })
      return { row in
        switch column[row] {
        case .text(let text): text.map(words.contains) ?? false
        case .tags(let tags): tags.contains { words.contains($0) }
        case .number, .flag, .date, .intervals: false
        }
      }
    case .notOver(let names):
      let columns = names.map(values)
      return { row in
        (columns.lazy.map { $0.instants[row] }.first { $0 != .min } ?? .min) >= asOf.milliseconds
      }
    case .free(let name, let within):
      let column = values(name)
      let (end, overflows) = asOf.milliseconds.addingReportingOverflow(within)
      return { row in
        column.intervals[row].contains {
          $0.lowerBound < (overflows ? .max : end) && $0.upperBound > asOf.milliseconds
        }
      }
    }
  }
}

extension [Bool] {
  /// Keeps what is set only where `condition` holds of the index.
  fileprivate mutating func restrict(_ condition: (Int) -> Bool) {
    for index in indices where self[index] { self[index] = condition(index) }
  }
}

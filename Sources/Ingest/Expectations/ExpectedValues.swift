internal import PipelineFile
internal import Text

extension ExpectationCheck {
  /// Checks that no two rows have the same values under `names`. A row that lacks one of these values is
  /// never a duplicate.
  mutating func checkUnique(_ names: [String]) {
    let values = names.map { name in
      guard let values = rows.values(name) else {
        preconditionFailure("'\(source)' does not have '\(name)', which must be unique")
      }
      return values
    }
    var keys = IdentityTable()
    var firstWith: [Int] = []
    var repeated = 0
    var example: (row: Int, first: Int)?
    var key: [UInt8] = []
    row: for row in 0..<rows.count {
      key.removeAll(keepingCapacity: true)
      for value in values {
        let value = value(row)
        if value.isMissing { continue row }
        value.append(to: &key)
      }
      let known = keys.count
      let number = keys.insert(key.span)
      if number == known {
        firstWith.append(row)
      } else {
        repeated += 1
        if example == nil { example = (row, firstWith[number]) }
      }
    }
    let found = example.map {
      "\(repeated.counted("repeated row")), for example \(rows.place($0.row)), which repeats "
        + rows.place($0.first)
    }
    add(
      "unique", "[\(names.joined(separator: ", "))]", found: found ?? "no repeated row",
      isMet: repeated == 0,
      orElse: "Remove the repeated rows from the export, or the expectation from the pipeline file.")
  }

  /// Checks that every number under `name` is in `range`. Missing values do not count.
  mutating func check(_ name: String, in range: ClosedRange<Double>) {
    guard let value = rows.values(name) else {
      preconditionFailure("'\(source)' does not have '\(name)', which must be in a range")
    }
    var outside = 0
    var example: Int?
    var (lowest, highest) = (Double.infinity, -Double.infinity)
    for row in 0..<rows.count {
      guard case .number(let number) = value(row) else { continue }
      (lowest, highest) = (min(lowest, number), max(highest, number))
      guard !range.contains(number) else { continue }
      outside += 1
      if example == nil { example = row }
    }
    // An extreme coordinate could reveal one person's position, so the message leaves out the extremes.
    let isCoordinate = ["latitude", "longitude"].contains(name)
    let extremes = isCoordinate || lowest > highest ? "" : "values from \(lowest) to \(highest), "
    let count = extremes.isEmpty ? outside.counted("value") : outside.grouped
    let place = example.map { ", the first in \(rows.place($0))" } ?? ""
    add(
      "range.\(name)", "[\(range.lowerBound), \(range.upperBound)]",
      found: "\(extremes)\(count) outside\(place)", isMet: outside == 0,
      orElse: "Correct the export, or the range in the pipeline file.")
  }
}

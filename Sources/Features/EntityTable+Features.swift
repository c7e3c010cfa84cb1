internal import Columns
internal import Geohash
internal import RunSchemas
internal import Text

// Columns of a snapshot as features need them. The pipeline file was checked, and the snapshot is that of its schema:
// a column that is missing is a bug.

extension EntityTable {
  func category(_ name: String) -> CategoryColumn {
    guard let column = categories[name] else { preconditionFailure("no category '\(name)'") }
    return column
  }

  func number(_ name: String) -> Column<Double> {
    guard let column = numbers[name] else { preconditionFailure("no number '\(name)'") }
    return column
  }

  func text(_ name: String) -> StringColumn {
    guard let column = texts[name] else { preconditionFailure("no text '\(name)'") }
    return column
  }

  func tags(_ name: String) -> TagColumn {
    guard let column = tags[name] else { preconditionFailure("no tags '\(name)'") }
    return column
  }

  /// The dates of an attribute as years since 1970; NaN where there is none.
  func years(_ name: String) -> [Double] {
    guard let column = dates[name] else { preconditionFailure("no date '\(name)'") }
    return column.elements.map { $0 == .min ? .nan : Instant(milliseconds: $0).years }
  }

  static let weekdayNames = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]

  /// By row the place in `weekdayNames` of the day, UTC, of a date.
  func weekdays(_ name: String) -> [UInt32] {
    guard let column = dates[name] else { preconditionFailure("no date '\(name)'") }
    return column.elements.map { instant in
      guard instant != .min else { return CategoryColumn.missing }
      // Whole days before 1970 too; its first was a Thursday.
      let days = (Double(instant) / 86_400_000).rounded(.down)
      let day = (Int(days) + 3) % 7
      return UInt32(day < 0 ? day + 7 : day)
    }
  }

  /// A number, or the years of a date.
  func measure(_ name: String) -> [Double] {
    numbers[name]?.elements ?? years(name)
  }

  /// By row the code of the cell that the position lies in, and the cells that have somebody, in ascending order.
  func cells(ofPrecision precision: Int) -> (codes: [UInt32], cells: [String]) {
    let cells = zip(latitude?.elements ?? [], longitude?.elements ?? []).map { latitude, longitude in
      Coordinate(latitude: latitude, longitude: longitude).map { Geohash($0, precision: precision) }
    }
    let inhabited = Set(cells.compactMap(\.self)).sorted()
    let codes = Dictionary(uniqueKeysWithValues: zip(inhabited, 0 as UInt32..<UInt32(inhabited.count)))
    return (cells.map { $0.flatMap { codes[$0] } ?? CategoryColumn.missing }, inhabited.map(\.description))
  }
}

extension StringColumn {
  /// The codes that the words of this vocabulary have in `other`, and codes behind all of those for words that it lacks.
  ///
  /// Both are in ascending byte order, as vocabularies are.
  func codes(in other: StringColumn) -> [UInt32] {
    (0..<count).map { word in
      UInt32(other.row(of: Array(copying: bytes(word))) ?? other.count + word)
    }
  }
}

extension Instant {
  /// Years since 1970 of 365.2425 days, the mean of the Gregorian calendar.
  var years: Double { Double(milliseconds) / (365.2425 * 86_400_000) }
}

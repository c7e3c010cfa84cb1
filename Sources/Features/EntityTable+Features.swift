internal import Columns
internal import RunSchemas
internal import Text

// These methods return snapshot columns in the form that features need. A missing column is a bug, because
// the pipeline file was checked and the snapshot contains all attributes in that file.

extension EntityTable {
  func category(_ name: String) -> CategoryColumn {
    guard let column = categories[name] else {
      preconditionFailure("the snapshot does not contain the category '\(name)'")
    }
    return column
  }

  func number(_ name: String) -> Column<Double> {
    guard let column = numbers[name] else {
      preconditionFailure("the snapshot does not contain the number '\(name)'")
    }
    return column
  }

  func text(_ name: String) -> StringColumn {
    guard let column = texts[name] else {
      preconditionFailure("the snapshot does not contain the text '\(name)'")
    }
    return column
  }

  func tags(_ name: String) -> TagColumn {
    guard let column = tags[name] else {
      preconditionFailure("the snapshot does not contain the tags '\(name)'")
    }
    return column
  }

  /// Returns the dates of an attribute as years since 1970; NaN for a missing date.
  func years(_ name: String) -> [Double] {
    guard let column = dates[name] else {
      preconditionFailure("the snapshot does not contain the date '\(name)'")
    }
    return column.elements.map { $0 == .min ? .nan : Instant(milliseconds: $0).years }
  }
}

extension StringColumn {
  /// Maps each code of this vocabulary to the code of the same word in `other`. A word that is missing from
  /// `other` gets a code above all codes of `other`.
  ///
  /// Both vocabularies must be in ascending byte order.
  func codes(in other: StringColumn) -> [UInt32] {
    (0..<count).map { word in
      UInt32(other.row(of: Array(copying: bytes(word))) ?? other.count + word)
    }
  }
}

extension Instant {
  /// The number of years since 1970. A year has 365.2425 days, the mean length of a Gregorian year.
  var years: Double { Double(milliseconds) / (365.2425 * 86_400_000) }
}

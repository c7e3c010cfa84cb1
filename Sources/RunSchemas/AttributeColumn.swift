package import Columns
package import Text

/// The column of one attribute of any type.
package enum AttributeColumn: Sendable {
  case category(CategoryColumn)
  case number(Column<Double>)
  case flag(Column<UInt8>)
  case text(StringColumn)
  case tags(TagColumn)
  case date(Column<Int64>)
  case intervals(IntervalColumn)
}

extension EntityTable {
  /// Returns the column of the attribute `name`; `nil` if the entity has no such attribute.
  package func attribute(_ name: String) -> AttributeColumn? {
    categories[name].map(AttributeColumn.category) ?? number(name).map(AttributeColumn.number)
      ?? flags[name].map(AttributeColumn.flag) ?? texts[name].map(AttributeColumn.text)
      ?? tags[name].map(AttributeColumn.tags) ?? dates[name].map(AttributeColumn.date)
      ?? intervals[name].map(AttributeColumn.intervals)
  }

  /// Returns the column of the number `name`, exported or computed; `nil` if the entity has no such number.
  package func number(_ name: String) -> Column<Double>? {
    numbers[name] ?? computed[name]
  }
}

extension AttributeColumn {
  /// Appends the value of `row` as JSON. A missing value is `null`, except that a missing flag is `false`, and
  /// missing tags or intervals are an empty array.
  ///
  /// Tags are an array of strings. A date is a day such as `2026-05-01`; a date with a time of day is in RFC
  /// 3339 format. Intervals are an array of objects with `from` and `to` in RFC 3339 format.
  package func append(_ row: Int, to text: inout JSONText) {
    switch self {
    case .category(let column):
      let code = column.codes[row]
      if code == CategoryColumn.missing {
        text.append(raw: "null")
      } else {
        text.append(string: column.vocabulary.bytes(Int(code)))
      }
    case .number(let column): text.append(number: column[row])
    case .flag(let column): text.append(raw: column[row] == 1 ? "true" : "false")
    case .text(let column):
      let bytes = column.bytes(row)
      if bytes.isEmpty { text.append(raw: "null") } else { text.append(string: bytes) }
    case .tags(let column):
      text.append(raw: "[")
      for (place, index) in column.range(row).enumerated() {
        if place > 0 { text.append(raw: ",") }
        text.append(string: column.vocabulary.bytes(Int(column.codes[index])))
      }
      text.append(raw: "]")
    case .date(let column):
      if column[row] == .min {
        text.append(raw: "null")
      } else {
        text.append(string: Array(Instant(milliseconds: column[row]).dateDescription.utf8).span)
      }
    case .intervals(let column):
      text.append(raw: "[")
      for (place, interval) in column.intervals(row).enumerated() {
        text.append(raw: place > 0 ? ",{\"from\":" : "{\"from\":")
        text.append(string: Array(Instant(milliseconds: interval.lowerBound).description.utf8).span)
        text.append(raw: ",\"to\":")
        text.append(string: Array(Instant(milliseconds: interval.upperBound).description.utf8).span)
        text.append(raw: "}")
      }
      text.append(raw: "]")
    }
  }
}

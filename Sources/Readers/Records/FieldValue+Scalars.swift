extension FieldValue {
  /// Whether the value is missing; see `FieldValue.missing`.
  package var isMissing: Bool {
    if case .missing = self { true } else { false }
  }

  /// The value as a finite number; `nil` unless it is a JSON number or a text that `parseNumber` accepts.
  package var number: Double? {
    switch self {
    case .text(let text): parseNumber(text.span)
    case .integer(let value): Double(value)
    case .number(let value): value.isFinite ? value : nil
    case .missing, .boolean, .list, .structure: nil
    }
  }

  /// The value as an integer; `nil` unless it is a JSON number without a fractional part (`5.0` is 5) or a
  /// text that `parseInteger` accepts.
  package var integer: Int64? {
    switch self {
    case .text(let text): parseInteger(text.span)
    case .integer(let value): value
    case .number(let value): Int64(exactly: value)
    case .missing, .boolean, .list, .structure: nil
    }
  }

  /// Returns the value as a moment; `nil` unless it is a number or a text that `parseMoment` accepts. `unit`
  /// is the unit of numbers.
  package func moment(unit: TimeUnit) -> Moment? {
    switch self {
    case .text(let text): parseMoment(text.span, unit: unit)
    case .integer(let value): unit.moment(value)
    case .number(let value): unit.moment(value)
    case .missing, .boolean, .list, .structure: nil
    }
  }

  /// Returns the value as a moment in milliseconds since 1970 UTC, rounded down. Numbers are milliseconds.
  package func instant() -> Int64? { moment(unit: .milliseconds)?.milliseconds }

  /// The value as a flag; `nil` unless it is JSON's true or false, the number 1 or 0, or a text that
  /// `parseFlag` accepts.
  package var flag: Bool? {
    switch self {
    case .text(let text): parseFlag(text.span)
    case .boolean(let value): value
    case .integer(0), .number(0): false
    case .integer(1), .number(1): true
    case .missing, .list, .structure, .integer, .number: nil
    }
  }
}

extension FieldList.Scalar {
  /// The value as an instant in milliseconds since 1970 UTC; `nil` unless it is a number of milliseconds or a
  /// text that `parseInstant` accepts.
  package var instant: Int64? {
    switch self {
    case .text(let text): parseInstant(text.span)
    case .integer(let value): FieldValue.integer(value).instant()
    case .number(let value): FieldValue.number(value).instant()
    case .boolean: nil
    }
  }
}

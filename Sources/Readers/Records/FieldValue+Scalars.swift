extension FieldValue {
  /// Whether the value is missing: no such key, null, or the empty text.
  package var isMissing: Bool {
    if case .missing = self { true } else { false }
  }

  /// The value as a finite number, or `nil`: a JSON number, or text as `parseNumber` reads it.
  package var number: Double? {
    switch self {
    case .text(let text): parseNumber(text.span)
    case .integer(let value): Double(value)
    case .number(let value): value.isFinite ? value : nil
    case .missing, .boolean, .list, .structure: nil
    }
  }

  /// The value as an integer, or `nil`: a JSON number without a fractional part (`5.0` is 5), or text as
  /// `parseInteger` reads it.
  package var integer: Int64? {
    switch self {
    case .text(let text): parseInteger(text.span)
    case .integer(let value): value
    case .number(let value): Int64(exactly: value)
    case .missing, .boolean, .list, .structure: nil
    }
  }

  /// The value as an instant in milliseconds since 1970 UTC, or `nil`: text as `parseInstant` reads it, or an
  /// integer by `integers`.
  ///
  /// A JSON number with a fraction is cut off to whole milliseconds towards the past.
  package func instant(integers: IntegerTimes = .milliseconds) -> Int64? {
    switch self {
    case .text(let text):
      return parseInstant(text.span, integers: integers)
    case .integer(let value):
      return integers.instant(value)
    case .number(let value):
      let milliseconds = (integers == .seconds ? value * 1000 : value).rounded(.down)
      return Int64(exactly: milliseconds).flatMap(IntegerTimes.milliseconds.instant)
    case .missing, .boolean, .list, .structure:
      return nil
    }
  }

  /// The value as a flag, or `nil`: JSON's true and false, the numbers 1 and 0, or text as `parseFlag` reads it.
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
  /// The value as an instant in milliseconds since 1970 UTC, or `nil`: text as `parseInstant` reads it, or milliseconds.
  package var instant: Int64? {
    switch self {
    case .text(let text): parseInstant(text.span)
    case .integer(let value): IntegerTimes.milliseconds.instant(value)
    case .number(let value): FieldValue.number(value).instant()
    case .boolean: nil
    }
  }
}

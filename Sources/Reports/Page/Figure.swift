internal import Text

/// A number on a page: rounded for reading, and exact for verification.
struct Figure: Hashable, Sendable {
  /// The rounded number with its unit.
  let text: String
  /// The exact number, as in the run's files. A share is from 0 to 1, not in percent, and a distance is in
  /// kilometers.
  let value: String

  private init(_ text: String, exactly value: Double) {
    self.text = text.typeset
    self.value = Int(exactly: value).map(String.init) ?? value.description
  }

  /// Returns a whole number, such as `60 000`.
  static func count(_ count: Int) -> Figure {
    Figure(count.grouped, exactly: Double(count))
  }

  /// Returns a share in percent, such as `12.5 %`. A small share has two decimals, such as `0.11 %`.
  static func share(_ share: Double) -> Figure {
    guard share != 0, share != 1 else { return Figure("\(Int(share * 100)) %", exactly: share) }
    // A share that is almost 0 or 1 must not look like exactly 0 or 1.
    if abs(share) < 0.00005 { return Figure("< 0.01 %", exactly: share) }
    if share > 0.9995, share < 1 { return Figure("> 99.9 %", exactly: share) }
    return Figure((share * 100).fixed(abs(share) < 0.01 ? 2 : 1) + " %", exactly: share)
  }

  /// Returns the share of `part` in `whole`; `nil` if `whole` is 0.
  static func share(_ part: Int, of whole: Int) -> Figure? {
    whole == 0 ? nil : share(Double(part) / Double(whole))
  }

  /// Returns a share from the pipeline file, with only as many digits as the setting has, such as `1 %`.
  static func limit(_ share: Double) -> Figure { Figure(share.percent, exactly: share) }

  /// Returns a metric from 0 to 1, or a standard error, with three decimals.
  static func metric(_ value: Double) -> Figure {
    Figure(value.fixed(3).withoutNegativeZero, exactly: value)
  }

  /// Returns the p-value of a test, such as `0.013` or `< 0.001`.
  static func probability(_ value: Double) -> Figure {
    value < 0.0005 ? Figure("< 0.001", exactly: value) : metric(value)
  }

  /// Returns a difference with its sign, such as `+0.012` or `−0.003`.
  static func difference(_ value: Double) -> Figure {
    let text = value.fixed(3).withoutNegativeZero
    return Figure(value > 0 && text != "0.000" ? "+" + text : text, exactly: value)
  }

  /// Returns a change in a whole number, such as `+12`.
  static func change(_ change: Int) -> Figure {
    Figure((change > 0 ? "+" : "") + change.grouped, exactly: Double(change))
  }

  /// Returns a change in a share in percentage points, such as `+1.2 points`.
  static func points(_ change: Double) -> Figure {
    let text = (change * 100).fixed(1).withoutNegativeZero
    return Figure((change > 0 && text != "0.0" ? "+" : "") + text + " points", exactly: change)
  }

  /// Returns an age in whole days, rounded down, such as `12 days`.
  static func days(_ days: Double) -> Figure {
    let whole = Int(days.rounded(.down))
    return Figure(
      whole < 1 ? "less than a day" : whole == 1 ? "1 day" : whole.grouped + " days", exactly: days)
  }

  /// Returns a number with `decimals` decimals and a unit.
  static func number(_ value: Double, decimals: Int, unit: String = "") -> Figure {
    Figure(value.fixed(decimals).withoutNegativeZero + (unit.isEmpty ? "" : " " + unit), exactly: value)
  }
}

extension String {
  /// The number with typographic characters: a minus sign as wide as a plus sign, and non-breaking spaces.
  fileprivate var typeset: String {
    var text = ""
    for (index, character) in enumerated() {
      switch character {
      case "-": text += "\u{2212}"
      case " ":
        // A narrow space separates groups of digits; a space of normal width precedes a unit.
        let next = dropFirst(index + 1).first
        text += next?.isNumber == true && text.last?.isNumber == true ? "\u{202F}" : "\u{A0}"
      default: text.append(character)
      }
    }
    return text
  }

  /// The text without its minus sign if the number is zero, such as `0.000` for `-0.000`.
  fileprivate var withoutNegativeZero: String {
    hasPrefix("-") && allSatisfy { "-0.".contains($0) } ? String(dropFirst()) : self
  }
}

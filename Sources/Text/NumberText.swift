internal import Foundation

// Numbers as human-readable text, independent of the locale.

extension Int {
  /// The number with spaces between groups of three digits, as in `60 000`.
  package var grouped: String {
    let digits = String(magnitude)
    var groups: [Substring] = []
    var rest = digits[...]
    while rest.count > 3 {
      groups.insert(rest.suffix(3), at: 0)
      rest = rest.dropLast(3)
    }
    groups.insert(rest, at: 0)
    return (self < 0 ? "-" : "") + groups.joined(separator: " ")
  }

  /// The number of bytes in B, kB, MB, GB or TB, as in `3.1 GB`. The units are powers of 1000.
  package var asBytes: String {
    var (value, unit) = (Double(self), "B")
    for next in ["kB", "MB", "GB", "TB"] where abs(value) >= 999.5 { (value, unit) = (value / 1_000, next) }
    return (unit == "B" || value >= 99.5 ? value.fixed(0) : value.fixed(1)) + " " + unit
  }

  /// Returns the number with its noun: `1 list`, `2 lists`, `2 matches`.
  package func counted(_ singular: String, _ plural: String? = nil) -> String {
    grouped + " " + (self == 1 ? singular : plural ?? singular + "s")
  }

  /// Returns this number as a percentage of `whole`, as in `12.5 %`; `-` if `whole` is 0.
  package func share(of whole: Int) -> String {
    whole == 0 ? "-" : (Double(self) / Double(whole)).percent
  }
}

extension Double {
  /// Returns the number with `decimals` decimals: with 2, 0.5 is `0.50`.
  package func fixed(_ decimals: Int) -> String {
    String(format: "%.\(decimals)f", self)
  }

  /// The number with at most four significant digits, as in `0.125`. A number of at least 1000 is rounded to
  /// a whole number, as in `60 000`.
  package var short: String {
    if abs(self) < 1e15, let integer = Int(exactly: rounded()), self == rounded() || abs(self) >= 1000 {
      return integer.grouped
    }
    return String(format: "%.4g", self)
  }

  /// The number as a percentage with at most two decimals, as in `12.5 %`. Only a share of exactly 0 or 1
  /// becomes `0 %` or `100 %`.
  package var percent: String {
    if self > 0, self < 0.0001 { return "< 0.01 %" }
    if self < 1, self > 0.9999 { return "> 99.99 %" }
    let text = String(format: "%.2f", self * 100)
    let trimmed = text.hasSuffix(".00") ? text.dropLast(3) : text.hasSuffix("0") ? text.dropLast() : text[...]
    return trimmed + " %"
  }
}

extension Setting {
  /// Reads a number of bytes such as `64 GiB`, `500 MB` or `1000`, at least 1.
  func byteCount() throws(PipelineFileError) -> Int {
    let units: [(String, Int)] = [
      ("B", 1), ("kB", 1000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000),
      ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40),
    ]
    return try quantity("a number of bytes", such: "64 GiB or 500 MB", units: units, unitless: 1)
  }

  /// Reads a time span such as `90m`, `36h` or `7d`, at least one second, and returns milliseconds.
  func duration() throws(PipelineFileError) -> Int64 {
    let units = [("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000), ("w", 604_800_000)]
    return Int64(try quantity("a time span", such: "36h or 7d", units: units, unitless: nil))
  }

  /// Reads a whole number of at least 1, followed by one of `units` with or without a space. `unitless` is
  /// the size of the unit of a plain number; `nil` if a unit is required.
  private func quantity(
    _ what: String, such examples: String, units: [(name: String, size: Int)], unitless: Int?
  )
    throws(PipelineFileError) -> Int
  {
    let names = units.map(\.name).joined(separator: ", ")
    let text = try text()
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text.dropFirst(digits.count).drop { $0 == " " }
    guard !digits.isEmpty, !unit.isEmpty || unitless != nil else {
      throw mistake(
        "\(label) is '\(text)', but must be \(what) such as \(examples)",
        advice: "Write a whole number and a unit: \(names).")
    }
    guard let size = unit.isEmpty ? unitless : units.first(where: { $0.name == unit })?.size else {
      throw unknown(String(unit), among: units.map(\.name), called: "unit")
    }
    let (product, overflows) = (Int(digits) ?? .max).multipliedReportingOverflow(by: size)
    guard !overflows, product > 0, product < .max else {
      let isZero = !overflows && product == 0
      throw mistake(
        "\(label) is '\(text)', which is \(isZero ? "zero" : "too large")",
        advice: isZero ? "Write a number above 0." : "Write a smaller number.")
    }
    return product
  }
}

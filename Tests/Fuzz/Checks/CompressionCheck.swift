internal import Exports

extension ParserCheck {
  enum CompressedFormat: String { case gzip = "x.csv.gz", zstd = "x.csv.zst" }

  private static let expansion = ExpansionLimits(bytes: 1 << 16, ratio: 50)

  /// The input as a compressed CSV file.
  func compressionViolation(_ input: [UInt8], _ format: CompressedFormat) -> String? {
    let check = ExportCheck(
      input, .csv, ["a"], optional: ["a"], options: ExportOptions(expansion: Self.expansion),
      name: format.rawValue, isCompressed: true)
    if let violation = check.violation { return violation }
    if case .compressedByte(let byte) = check.whole.error?.place, !(0...input.count).contains(byte) {
      return "the mistake is at byte \(byte) of \(input.count)"
    }
    return nil
  }
}

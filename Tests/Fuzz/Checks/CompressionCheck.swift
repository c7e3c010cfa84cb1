internal import Readers

extension ParserCheck {
  enum CompressedFormat: String { case gzip = "x.csv.gz", zstd = "x.csv.zst" }

  private static let expansion = ExpansionLimits(bytes: 1 << 16, ratio: 50)

  /// Checks the input as a compressed CSV file, and as the CSV file that is compressed.
  func compressionViolation(_ input: [UInt8], _ format: CompressedFormat) -> String? {
    let check = Self.check(input, format)
    if let violation = check.violation { return violation }
    if case .compressedByte(let byte) = check.whole.error?.place, !(0...input.count).contains(byte) {
      return "the mistake is at byte \(byte) of \(input.count)"
    }
    return Self.packingViolation(Array("a\n".utf8) + input, format)
  }

  private static func check(_ bytes: [UInt8], _ format: CompressedFormat) -> ExportCheck {
    ExportCheck(
      bytes, .csv, ["a"], optional: ["a"], options: ExportOptions(expansion: expansion),
      name: format.rawValue, isCompressed: true)
  }

  /// A compressed text must have the same rows as the plain text. A truncated file must be
  /// rejected.
  private static func packingViolation(_ text: [UInt8], _ format: CompressedFormat) -> String? {
    // Other bytes are rejected with and without compression, but at different positions.
    guard isUTF8(text) else { return nil }
    let packed = format == .gzip ? PackedBytes.gzip(text) : PackedBytes.zstd(text)
    let read = check(packed, format)
    if let violation = read.violation { return "packed: \(violation)" }
    let plain = ExportCheck(text, .csv, ["a"]).whole
    guard read.whole == plain else {
      return "packed it reads otherwise: \(read.whole.difference(from: plain))"
    }
    let cut = check(Array(packed.dropLast(1 + text.count % 8)), format)
    guard cut.whole.error?.code == .corruptCompression else {
      return "cut off it is not refused as such: \(String(describing: cut.whole.error))"
    }
    return cut.violation.map { "cut off: \($0)" }
  }
}

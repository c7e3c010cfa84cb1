/// Counts the input and output bytes of a decompressor, and stops a decompression bomb.
struct ExpansionGuard {
  let file: String
  let limits: ExpansionLimits
  /// Compressed bytes read so far.
  var consumed = 0
  /// Bytes produced so far.
  private(set) var produced = 0

  /// The ratio is meaningful only after this many bytes.
  private static let ratioFrom = 1 << 20

  init(file: String, limits: ExpansionLimits) {
    self.file = file
    self.limits = limits
  }

  /// - Throws: `expansion_limit`.
  mutating func produce(_ count: Int) throws(ExportError) {
    produced += count
    if produced > limits.bytes {
      throw exceeded("expands to more than \(limits.bytes) bytes (max_expanded)")
    }
    // Divides, because the product could overflow.
    if produced > Self.ratioFrom, (produced - 1) / max(limits.ratio, 1) >= max(consumed, 1) {
      throw exceeded("expands to more than \(limits.ratio) times its size (max_ratio)")
    }
  }

  private func exceeded(_ what: String) -> ExportError {
    ExportError(
      .expansionLimit, file: file, place: .compressedByte(consumed),
      reason:
        "it \(what), as files made to fill a machine do; if it is yours, raise the limit in the pipeline "
        + "file's source")
  }

  /// `corrupt_compression` at the current byte of the compressed file.
  func corrupt(_ reason: String) -> ExportError {
    ExportError(.corruptCompression, file: file, place: .compressedByte(consumed), reason: reason)
  }
}

internal import Text

/// Counts the input and output bytes of a decompressor, and stops a decompression bomb.
struct ExpansionGuard {
  let file: String
  let limits: ExpansionLimits
  /// The number of compressed bytes read so far.
  var consumed = 0
  /// The number of bytes produced so far.
  private(set) var produced = 0

  /// The number of output bytes after which the ratio is checked. A smaller output is harmless at any ratio.
  private static let ratioFrom = 1 << 20

  init(file: String, limits: ExpansionLimits) {
    self.file = file
    self.limits = limits
  }

  /// Counts bytes of output.
  ///
  /// - Throws: `expansion_limit` if a limit is exceeded.
  mutating func produce(_ count: Int) throws(ExportError) {
    produced += count
    if produced > limits.bytes {
      throw exceeded("expands to more than \(limits.bytes.counted("byte")) (max_expanded)")
    }
    // This compares a quotient, because a product could overflow.
    if produced > Self.ratioFrom, (produced - 1) / max(limits.ratio, 1) >= max(consumed, 1) {
      throw exceeded("expands to more than \(limits.ratio) times its size (max_ratio)")
    }
  }

  private func exceeded(_ what: String) -> ExportError {
    ExportError(
      .expansionLimit, file: file, place: .compressedByte(consumed),
      reason:
        "it \(what), as decompression bombs do; if you trust the file, raise this limit "
        + "in the pipeline file")
  }

  /// Returns a `corrupt_compression` error at the current byte of the compressed file.
  func corrupt(_ reason: String) -> ExportError {
    ExportError(.corruptCompression, file: file, place: .compressedByte(consumed), reason: reason)
  }
}

internal import CChecksum

/// The CRC-32C of each block of a file. The last block may be shorter, and an empty file has no checksums.
///
/// CRC-32C detects every burst error of up to 32 bits, in a fraction of the time that SHA-256 takes. It
/// protects against damage, not against an attacker.
package struct BlockChecksums: Hashable, Sendable {
  /// The number of bytes in a block.
  package static let blockSize = 1 << 20

  package private(set) var values: [UInt32]

  /// Computes the checksums of the blocks of `bytes`.
  package init(of bytes: RawSpan) {
    values = []
    values.reserveCapacity((bytes.byteCount + Self.blockSize - 1) / Self.blockSize)
    var start = 0
    while bytes.byteCount - start >= 3 * Self.blockSize {
      let three = bytes.extracting(start..<start + 3 * Self.blockSize)
      values += Self.three(three)
      start += three.byteCount
    }
    while start < bytes.byteCount {
      let end = min(start + Self.blockSize, bytes.byteCount)
      values.append(Self.checksum(of: bytes.extracting(start..<end)))
      start = end
    }
  }

  fileprivate init(_ values: [UInt32]) { self.values = values }

  /// Returns the CRC-32C of `bytes`. If `sum` is the checksum of earlier bytes, the result covers the earlier
  /// bytes and `bytes`.
  package static func checksum(of bytes: RawSpan, after sum: UInt32 = 0) -> UInt32 {
    unsafe bytes.withUnsafeBytes { unsafe crc32c_update(sum, $0.baseAddress, $0.count) }
  }

  /// Returns the checksums of three whole blocks. Computing three checksums at once takes hardly more time
  /// than computing one.
  private static func three(_ bytes: RawSpan) -> [UInt32] {
    var sums: [UInt32] = [0, 0, 0]
    unsafe bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      unsafe sums.withUnsafeMutableBufferPointer { sums in
        if let sums = sums.baseAddress { unsafe crc32c_three(start, blockSize, sums) }
      }
    }
    return sums
  }

  /// Returns a checksum as eight hexadecimal digits.
  package static func hexadecimal(_ value: UInt32) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}

extension BlockChecksums: Codable {
  /// Decodes the concatenated checksums: eight hexadecimal digits for each block.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let digits = Array(try container.decode(String.self).utf8)
    let values = stride(from: 0, to: digits.count, by: 8).compactMap { start -> UInt32? in
      let block = String(decoding: digits[start..<min(start + 8, digits.count)], as: UTF8.self)
      // `UInt32(_:radix:)` also accepts a sign, which a checksum must not have.
      return block.first == "+" || block.first == "-" ? nil : UInt32(block, radix: 16)
    }
    guard digits.count % 8 == 0, values.count == digits.count / 8 else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "each checksum must have eight hexadecimal digits")
    }
    self.values = values
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(values.map(Self.hexadecimal).joined())
  }
}

/// Computes the block checksums of a stream of bytes.
struct RunningChecksums: Sendable {
  private var complete: [UInt32] = []
  private var sum: UInt32 = 0
  /// The number of bytes in the incomplete block.
  private var filled = 0

  mutating func update(_ bytes: RawSpan) {
    var start = 0
    while start < bytes.byteCount {
      let end = min(bytes.byteCount, start + BlockChecksums.blockSize - filled)
      sum = BlockChecksums.checksum(of: bytes.extracting(start..<end), after: sum)
      filled += end - start
      start = end
      if filled == BlockChecksums.blockSize {
        complete.append(sum)
        (sum, filled) = (0, 0)
      }
    }
  }

  /// The checksums of all bytes so far.
  var checksums: BlockChecksums { BlockChecksums(filled > 0 ? complete + [sum] : complete) }
}

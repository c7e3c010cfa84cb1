/// Wraps bytes in a compressed file without compressing them. The bytes determine the size of the
/// blocks.
enum PackedBytes {
  /// Returns one gzip member with stored blocks.
  ///
  /// Sources: RFC 1952, section 2.3; RFC 1951, section 3.2.4.
  static func gzip(_ bytes: [UInt8]) -> [UInt8] {
    var packed: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
    for (block, isLast) in blocks(of: bytes) {
      packed.append(isLast ? 1 : 0)
      append(UInt32(block.count) | UInt32(block.count ^ 0xFFFF) << 16, to: &packed)
      packed += block
    }
    append(checksum(bytes), to: &packed)
    append(UInt32(bytes.count), to: &packed)
    return packed
  }

  /// Returns one Zstandard frame with raw blocks and without a checksum.
  ///
  /// Source: RFC 8878, sections 3.1.1.1 and 3.1.1.2.
  static func zstd(_ bytes: [UInt8]) -> [UInt8] {
    var packed: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0, 0]
    for (block, isLast) in blocks(of: bytes) {
      let header = UInt32(block.count) << 3 | (isLast ? 1 : 0)
      packed += [UInt8(header & 0xFF), UInt8(header >> 8 & 0xFF), UInt8(header >> 16)]
      packed += block
    }
    return packed
  }

  /// Splits bytes into blocks of at most 1 024 bytes, the smallest window of a Zstandard frame. The
  /// last block may be empty.
  private static func blocks(of bytes: [UInt8]) -> [(block: ArraySlice<UInt8>, isLast: Bool)] {
    let size = 1 + (bytes.count * 7 + Int(bytes.last ?? 0)) % 1024
    var blocks = stride(from: 0, to: bytes.count, by: size).map {
      (block: bytes[$0..<min($0 + size, bytes.count)], isLast: false)
    }
    if bytes.count % 2 == 0 || blocks.isEmpty { blocks.append((block: [], isLast: false)) }
    blocks[blocks.count - 1].isLast = true
    return blocks
  }

  private static func append(_ value: UInt32, to packed: inout [UInt8]) {
    for shift in [0, 8, 16, 24] as [UInt32] { packed.append(UInt8(value >> shift & 0xFF)) }
  }

  /// CRC-32, one bit at a time.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(UInt32.max) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
  }
}

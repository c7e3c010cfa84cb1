/// The encoding of a text export. Readers convert other encodings to UTF-8 before they parse the text.
///
/// Source: WHATWG Encoding Standard, https://encoding.spec.whatwg.org.
package enum TextEncoding: String, CaseIterable, Hashable, Sendable {
  case utf8 = "utf-8"
  /// Windows-1252. It contains ISO 8859-1, and the label "latin1" means Windows-1252 in the standard.
  case latin1
  /// UTF-16 with a byte order mark, or little-endian UTF-16 without a mark.
  case utf16 = "utf-16"
}

/// The bytes of another source, converted to UTF-8.
///
/// Invalid UTF-16 becomes invalid UTF-8, so that the window reports it like other invalid bytes.
final class TranscodedBytes: ByteSource {
  let isAsOnDisk = false
  private static let chunk = 1 << 16
  /// The Windows-1252 characters of the bytes 0x80 to 0x9F. The standard keeps unassigned bytes as control
  /// characters.
  private static let windows1252: [UInt32] = [
    0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152,
    0x8D, 0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161,
    0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
  ]

  private let rest: any ByteSource
  private let encoding: TextEncoding
  private var input = [UInt8](repeating: 0, count: TranscodedBytes.chunk)
  private var converted: [UInt8] = []
  /// The number of converted bytes that were returned.
  private var returned = 0
  /// The first byte of a UTF-16 code unit whose second byte was not read yet.
  private var half: UInt8?
  /// A high surrogate whose low surrogate was not read yet.
  private var high: UInt32?
  /// Whether UTF-16 is big-endian; `nil` before the first code unit.
  private var isBigEndian: Bool?

  init(_ rest: any ByteSource, from encoding: TextEncoding) {
    self.rest = rest
    self.encoding = encoding
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ExportError) -> Int {
    while returned == converted.count {
      converted.removeAll(keepingCapacity: true)
      returned = 0
      guard try convertChunk() else { return 0 }
    }
    let count = min(buffer.count, converted.count - returned)
    unsafe buffer.copyBytes(from: converted[returned..<returned + count])
    returned += count
    return count
  }

  /// Converts the next bytes of the source.
  ///
  /// - Returns: Whether there may be further bytes; false at the end of the source.
  private func convertChunk() throws(ExportError) -> Bool {
    let count = try readChunk()
    guard count > 0 else {
      // The file ends within a character.
      guard half != nil || high != nil else { return false }
      (half, high) = (nil, nil)
      converted.append(0xFF)
      return true
    }
    switch encoding {
    case .utf8: converted += input[..<count]
    case .latin1:
      for byte in input[..<count] {
        append((0x80...0x9F).contains(byte) ? Self.windows1252[Int(byte) - 0x80] : UInt32(byte))
      }
    case .utf16: for byte in input[..<count] { convertUTF16(byte) }
    }
    return true
  }

  private func readChunk() throws(ExportError) -> Int {
    do {
      return try unsafe input.withUnsafeMutableBytes { try unsafe rest.read(into: $0) }
    } catch let error as ExportError {
      throw error
    } catch {
      preconditionFailure("a source throws only ExportError, not \(error)")
    }
  }

  private func convertUTF16(_ byte: UInt8) {
    guard let first = half else {
      half = byte
      return
    }
    half = nil
    guard let isBigEndian else {
      isBigEndian = first == 0xFE && byte == 0xFF
      let isMark = isBigEndian == true || (first == 0xFF && byte == 0xFE)
      if !isMark { convertUnit(UInt32(byte) << 8 | UInt32(first)) }
      return
    }
    convertUnit(isBigEndian ? UInt32(first) << 8 | UInt32(byte) : UInt32(byte) << 8 | UInt32(first))
  }

  private func convertUnit(_ unit: UInt32) {
    if let first = high {
      high = nil
      if (0xDC00...0xDFFF).contains(unit) {
        append(0x1_0000 + (first - 0xD800) << 10 + (unit - 0xDC00))
        return
      }
      append(first)
    }
    if (0xD800...0xDBFF).contains(unit) { high = unit } else { append(unit) }
  }

  /// Appends the UTF-8 encoding of a code point. The encoding of a surrogate is invalid UTF-8.
  private func append(_ point: UInt32) {
    switch point {
    case 0..<0x80: converted.append(UInt8(point))
    case 0x80..<0x800: converted += [UInt8(0xC0 | point >> 6), UInt8(0x80 | point & 0x3F)]
    case 0x800..<0x1_0000:
      converted += [
        UInt8(0xE0 | point >> 12), UInt8(0x80 | point >> 6 & 0x3F), UInt8(0x80 | point & 0x3F),
      ]
    default:
      converted += [
        UInt8(0xF0 | point >> 18), UInt8(0x80 | point >> 12 & 0x3F), UInt8(0x80 | point >> 6 & 0x3F),
        UInt8(0x80 | point & 0x3F),
      ]
    }
  }
}

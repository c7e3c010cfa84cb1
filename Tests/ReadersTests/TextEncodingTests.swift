import Concurrency
import Testing

@testable import Readers

struct TextEncodingTests {
  /// Converts `bytes` with reads of every length.
  private static func converted(_ bytes: [UInt8], _ encoding: TextEncoding) throws -> [UInt8] {
    var results: Set<[UInt8]> = []
    for length in [1, 2, 3, 7, 100_000] {
      let source = TranscodedBytes(MemoryBytes(bytes), from: encoding)
      var (found, buffer) = ([UInt8](), [UInt8](repeating: 0, count: length))
      while true {
        let count = try unsafe buffer.withUnsafeMutableBytes { try unsafe source.read(into: $0) }
        if count == 0 { break }
        found += buffer[..<count]
      }
      results.insert(found)
    }
    #expect(results.count == 1)
    return try #require(results.first)
  }

  private static func utf16(_ text: String, isBigEndian: Bool) -> [UInt8] {
    text.utf16.flatMap {
      isBigEndian ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)]
    }
  }

  @Test(arguments: ["", "a", "id,name\n1,Zoë\n", "\u{0}\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}"])
  func `UTF-16 has the byte order of its mark, or is little-endian`(text: String) throws {
    #expect(
      try Self.converted([0xFF, 0xFE] + Self.utf16(text, isBigEndian: false), .utf16) == Array(text.utf8))
    #expect(
      try Self.converted([0xFE, 0xFF] + Self.utf16(text, isBigEndian: true), .utf16) == Array(text.utf8))
    #expect(try Self.converted(Self.utf16(text, isBigEndian: false), .utf16) == Array(text.utf8))
  }

  @Test func `random text in UTF-16 is converted without loss`() throws {
    var random = SplitMix64(seed: 5)
    for _ in 0..<200 {
      let scalars = (0..<Int.random(in: 0...40, using: &random)).compactMap { _ in
        Unicode.Scalar(UInt32.random(in: 0...0x10_FFFF, using: &random))
      }
      let text = String(String.UnicodeScalarView(scalars))
      #expect(
        try Self.converted([0xFE, 0xFF] + Self.utf16(text, isBigEndian: true), .utf16) == Array(text.utf8))
    }
  }

  /// Expected texts of Python: bytes.decode("windows-1252").
  @Test func `the bytes of latin1 are Windows-1252`() throws {
    #expect(try Self.converted([0x5A, 0x6F, 0xEB, 0x20, 0x80, 0x39], .latin1) == Array("Zoë €9".utf8))
    #expect(
      try Self.converted([0x82, 0x8A, 0x8E, 0x93, 0x9F, 0xA0, 0xFF], .latin1)
        == Array("‚ŠŽ“Ÿ\u{A0}ÿ".utf8))
    #expect(try Self.converted([0x81], .latin1) == Array("\u{81}".utf8))
  }

  @Test(
    arguments: [
      [0xFF, 0xFE, 0x61], [0xFF, 0xFE, 0x00, 0xD8], [0xFF, 0xFE, 0x00, 0xD8, 0x61, 0x00],
      [0xFF, 0xFE, 0x00, 0xDC, 0x61, 0x00],
    ] as [[UInt8]])
  func `half a character and an unpaired surrogate are errors`(bytes: [UInt8]) throws {
    #expect(firstInvalidUTF8(try Self.converted(bytes, .utf16).span) != nil)
    var options = ExportOptions()
    options.encoding = .utf16
    let reader = try ExportReader(
      bytes: bytes, name: "x", format: .csv, fields: ["a"], options: options)
    #expect {
      try reader.forEachRecord { _ in }
    } throws: {
      ($0 as? ExportError)?.code == .invalidUTF8 && "\($0)".contains("not valid UTF-16")
    }
  }

  @Test(arguments: [ExportFormat.csv, .jsonl, .json], [TextEncoding.utf16, .latin1])
  func `an export in another encoding has the same records`(format: ExportFormat, encoding: TextEncoding)
    throws
  {
    let text =
      switch format {
      case .csv: "name\nZoë\n"
      case .jsonl: "{\"name\":\"Zoë\"}\n"
      default: "[{\"name\":\"Zoë\"}]"
      }
    var options = ExportOptions()
    options.encoding = encoding
    let bytes =
      encoding == .latin1
      ? text.unicodeScalars.map { UInt8($0.value) } : [0xFF, 0xFE] + Self.utf16(text, isBigEndian: false)
    let reader = try ExportReader(bytes: bytes, name: "x", format: format, fields: ["name"], options: options)
    let plain = try ExportReader(bytes: Array(text.utf8), name: "x", format: format, fields: ["name"])
    let records = try reader.all().records
    #expect(records == (try plain.all().records) && records.count == 1)
  }
}

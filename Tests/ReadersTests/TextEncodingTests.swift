import Concurrency
import Testing
import Text

@testable import Readers

struct TextEncodingTests {
  private static func converted(_ bytes: [UInt8], _ encoding: TextEncoding, by length: Int) throws -> [UInt8]
  {
    let source: any ByteSource = TranscodedBytes(MemoryBytes(bytes), from: encoding)
    var window = ByteWindow(source, file: "x", checksUTF8: false, capacity: length)
    var count = -1
    while count != window.count {
      count = window.count
      try window.move(to: 0)
    }
    return Array(copying: window.bytes)
  }

  /// Converts `bytes` with reads of several lengths.
  private static func converted(_ bytes: [UInt8], _ encoding: TextEncoding) throws -> [UInt8] {
    let whole = try converted(bytes, encoding, by: 100_000)
    for length in [1, 2, 3, 7] {
      let parts = try converted(bytes, encoding, by: length)
      #expect(parts == whole)
    }
    return whole
  }

  private static func utf16(_ text: String, isBigEndian: Bool) -> [UInt8] {
    var bytes: [UInt8] = []
    for unit in text.utf16 {
      let pair = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
      bytes += isBigEndian ? pair : pair.reversed()
    }
    return bytes
  }

  /// Expects that `bytes` become `text`.
  private static func expect(_ bytes: [UInt8], _ encoding: TextEncoding, _ text: String) throws {
    let converted = try converted(bytes, encoding)
    #expect(converted == Array(text.utf8))
  }

  private static let littleEndianMark: [UInt8] = [0xFF, 0xFE]
  private static let bigEndianMark: [UInt8] = [0xFE, 0xFF]

  @Test(arguments: ["", "a", "id,name\n1,Zoë\n", "\u{0}\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}"])
  func `UTF-16 has the byte order of its mark, or is little-endian`(text: String) throws {
    let (little, big) = (Self.utf16(text, isBigEndian: false), Self.utf16(text, isBigEndian: true))
    try Self.expect(Self.littleEndianMark + little, .utf16, text)
    try Self.expect(Self.bigEndianMark + big, .utf16, text)
    try Self.expect(little, .utf16, text)
  }

  @Test func `random text in UTF-16 is converted without loss`() throws {
    var random = SplitMix64(seed: 5)
    for _ in 0..<200 {
      var text = ""
      for _ in 0..<Int.random(in: 0...40, using: &random) {
        let number = UInt32.random(in: 0...0x10_FFFF, using: &random)
        if let scalar = Unicode.Scalar(number) { text.unicodeScalars.append(scalar) }
      }
      try Self.expect(Self.bigEndianMark + Self.utf16(text, isBigEndian: true), .utf16, text)
    }
  }

  /// Expected texts of Python: bytes.decode("windows-1252").
  @Test func `the bytes of latin1 are Windows-1252`() throws {
    try Self.expect([0x5A, 0x6F, 0xEB, 0x20, 0x80, 0x39], .latin1, "Zoë €9")
    try Self.expect([0x82, 0x8A, 0x8E, 0x93, 0x9F, 0xA0, 0xFF], .latin1, "‚ŠŽ“Ÿ\u{A0}ÿ")
    try Self.expect([0x81], .latin1, "\u{81}")
  }

  @Test(
    arguments: [
      [0xFF, 0xFE, 0x61], [0xFF, 0xFE, 0x00, 0xD8], [0xFF, 0xFE, 0x00, 0xD8, 0x61, 0x00],
      [0xFF, 0xFE, 0x00, 0xDC, 0x61, 0x00],
    ] as [[UInt8]])
  func `half a character and an unpaired surrogate are errors`(bytes: [UInt8]) throws {
    let error = #expect(throws: ExportError.self) { try Self.records(bytes, .csv, .utf16) }
    #expect(error?.code == .invalidUTF8)
    #expect(error?.reason.contains("not valid UTF-16") == true)
  }

  /// Exports of one record, in three formats.
  private static let exports: [(format: ExportFormat, text: String)] = [
    (.csv, "name\nZoë\n"), (.jsonl, "{\"name\":\"Zoë\"}\n"), (.json, "[{\"name\":\"Zoë\"}]"),
  ]

  private static func records(
    _ bytes: [UInt8], _ format: ExportFormat, _ encoding: TextEncoding
  ) throws -> [ReadRecord] {
    var options = ExportOptions()
    options.encoding = encoding
    let reader = try ExportReader(bytes: bytes, name: "x", format: format, fields: ["name"], options: options)
    return try reader.all().records
  }

  @Test(arguments: exports)
  func `an export in another encoding has the same records`(format: ExportFormat, text: String) throws {
    let plain = try Self.records(Array(text.utf8), format, .utf8)
    let wide = try Self.records(Self.littleEndianMark + Self.utf16(text, isBigEndian: false), format, .utf16)
    let narrow = try Self.records(text.unicodeScalars.map { UInt8($0.value) }, format, .latin1)
    #expect(plain.map(\.cells) == [["Zoë"]])
    #expect(wide == plain)
    #expect(narrow == plain)
  }
}

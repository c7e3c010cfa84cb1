import Concurrency
import Testing

@testable import Readers

@Suite struct CompressionTests {
  /// Returns a table of `rows` rows that is not trivial to compress.
  private static func table(_ rows: Int) -> [UInt8] {
    var random = SplitMix64(seed: 7)
    return Array(("a,b\n" + (0..<rows).map { "\($0),é\(random.next())\n" }.joined()).utf8)
  }

  /// The same records in each text format.
  private static let texts: [(ExportFormat, String)] = [
    (.csv, "a,b\n1,x\n2,\"y\r\ny\"\n"), (.tsv, "a\tb\n1\tx\n2\ty\n"),
    (.jsonl, "{\"a\":1}\n{\"a\":\"é\"}\n"), (.json, "[{\"a\":1},{\"a\":\"é\"}]"),
    (.firestore, #"{"documents":[{"name":"u/1","fields":{"a":{"stringValue":"é"}}}]}"#),
    (.parse, #"{"results":[{"objectId":"1","a":2},{"objectId":"2","a":{"__type":"Date","iso":"x"}}]}"#),
    (.realtime, #"{"u1":{"a":1},"u2":{"a":"é"}}"#),
  ]

  private func read(
    _ bytes: [UInt8], _ format: ExportFormat = .csv, name: String = "x", chunk: Int = ByteWindow.chunk,
    limits: ExpansionLimits = ExpansionLimits()
  ) -> (records: [ReadRecord], error: ExportError?) {
    var records: [ReadRecord] = []
    do {
      var reader = try ExportReader(
        bytes: bytes, name: name, format: format, fields: ["a"], options: ExportOptions(expansion: limits))
      reader.chunk = chunk
      _ = try reader.all(into: &records)
      return (records, nil)
    } catch {
      return (records, error as? ExportError)
    }
  }

  @Test(arguments: texts, [1, 2, 7, 64, 1 << 18])
  func `each format reads the same when compressed`(_ format: (ExportFormat, String), chunk: Int) {
    let (format, text) = format
    let bytes = Array(text.utf8)
    let plain = read(bytes, format, chunk: chunk)
    #expect(plain.error == nil && !plain.records.isEmpty)
    let split = bytes.count / 2
    let (head, tail) = (Array(bytes[..<split]), Array(bytes[split...]))
    let gzips = [
      gzip(bytes), gzip(bytes, level: 0), gzip(bytes, level: 9), gzip(head) + gzip(tail),
      gzip([]) + gzip(head) + gzip([]) + gzip(tail) + gzip([]),
      gzip(bytes) + [UInt8](repeating: 0, count: 512),
    ]
    let frames = [
      zstd(bytes), zstd(bytes, hasChecksum: false), zstd(bytes, level: 19), zstd(bytes, hasSize: false),
      zstd(bytes, level: -5), zstd(head) + zstd(tail), zstd([]) + zstd(head) + zstd([]) + zstd(tail),
      skippableFrame([1, 2, 3]) + zstd(head) + skippableFrame([]) + zstd(tail) + skippableFrame([0x28]),
    ]
    for (name, forms) in [("x.gz", gzips), ("x.zst", frames), ("-", gzips + frames)] {
      for (index, form) in forms.enumerated() {
        let compressed = read(form, format, name: name, chunk: chunk)
        #expect(compressed.error == nil, "\(name) \(index)")
        #expect(compressed.records == plain.records, "\(name) \(index)")
      }
    }
  }

  @Test func `a file that fills the window exactly is complete`() {
    for size in [1, 2, 3, 64, 1 << 16, (1 << 16) + 1, 3 << 16] {
      let line = Array("a\n".utf8)
      let bytes = line + [UInt8](repeating: UInt8(ascii: "x"), count: size)
      for chunk in [size, size + 2, (size + 2) / 2, 1 << 16] {
        let plain = read(bytes, chunk: chunk)
        for form in [gzip(bytes), zstd(bytes), zstd(bytes, hasChecksum: false, hasSize: false)] {
          let compressed = read(form, chunk: chunk)
          #expect(compressed.error == nil, "\(size) bytes, \(chunk) at a time")
          #expect(compressed.records == plain.records)
        }
      }
    }
  }

  @Test func `a file of many windows and inputs reads the same`() {
    let bytes = Self.table(40_000)
    let plain = read(bytes, chunk: 1 << 12)
    #expect(plain.records.count == 40_000)
    for form in [gzip(bytes), zstd(bytes), gzip(bytes, level: 0), zstd(bytes, level: 19, hasChecksum: false)]
    {
      #expect(form.count > 1 << 17)
      for chunk in [1000, 1 << 12, 1 << 18] { #expect(read(form, chunk: chunk).records == plain.records) }
    }
  }

  @Test(arguments: texts)
  func `a file truncated at any byte is corrupt at that byte`(_ format: ExportFormat, _ text: String) {
    let bytes = Array(text.utf8)
    let split = bytes.count / 2
    let (head, tail) = (Array(bytes[..<split]), Array(bytes[split...]))
    let files: [(String, [UInt8], boundary: Int?)] = [
      ("x.gz", gzip(bytes), nil), ("x.zst", zstd(bytes), nil),
      ("x.zst", zstd(bytes, hasChecksum: false), nil),
      ("x.zst", zstd(bytes, hasSize: false), nil), ("x.gz", gzip(head) + gzip(tail), gzip(head).count),
      ("x.zst", zstd(head) + zstd(tail), zstd(head).count),
      ("x.zst", skippableFrame([1, 2, 3, 4]) + zstd(bytes), skippableFrame([1, 2, 3, 4]).count),
    ]
    for (name, file, boundary) in files {
      // A file that ends between two members or frames looks complete.
      for end in 0..<file.count where end != boundary {
        for chunk in [1, 5, 1 << 18] {
          let error = read(Array(file[..<end]), format, name: name, chunk: chunk).error
          // In a small window, the truncated first records may be reported as malformed before the
          // truncation is found.
          if chunk == 1 << 18 || error?.code == .corruptCompression {
            #expect(error?.code == .corruptCompression, "\(name) \(end)")
            #expect(error?.place == .compressedByte(end), "\(name) \(end)")
          }
          #expect(error != nil)
        }
      }
    }
  }

  @Test func `a file truncated in its last kilobyte gives its first records and an error`() {
    let bytes = Self.table(300)
    let whole = read(bytes).records
    for (name, file) in [("x.gz", gzip(bytes)), ("x.zst", zstd(bytes))] {
      for end in file.count - 1024..<file.count {
        let (records, error) = read(Array(file[..<end]), name: name, chunk: 1 << 10)
        #expect(error?.code == .corruptCompression && error?.place == .compressedByte(end))
        #expect(whole.starts(with: records))
      }
    }
  }

  @Test func `a flipped bit is an error or has no effect`() {
    let bytes = Self.table(20)
    let whole = read(bytes).records
    var found = 0
    for file in [gzip(bytes), zstd(bytes), gzip(bytes) + gzip([]), gzip(bytes, level: 0)] {
      for index in file.indices {
        for bit in [0x01, 0x10, 0x80] as [UInt8] {
          var flipped = file
          flipped[index] ^= bit
          let (records, error) = read(flipped)
          if error == nil {
            #expect(records == whole, "byte \(index)")
          } else {
            found += 1
          }
        }
      }
    }
    #expect(found > 1000)
    // Without a checksum, a changed file may give any result, but reading must end.
    let unchecked = zstd(bytes, hasChecksum: false)
    for index in unchecked.indices {
      var flipped = unchecked
      flipped[index] ^= 0x04
      _ = read(flipped)
    }
  }

  @Test func `bytes after the compressed data are an error`() {
    let bytes = Self.table(3)
    let zeros = [UInt8](repeating: 0, count: 9)
    let garbage: [[UInt8]] = [
      [0x78], [0x1F], [0x1F, 0x8C], zeros + [1], zeros + gzip(bytes), Array("a,b\n9,9\n".utf8),
    ]
    for tail in garbage {
      let error = read(gzip(bytes) + tail, name: "x.gz").error
      #expect(error?.code == .corruptCompression, "\(tail)")
    }
    #expect(read(gzip(bytes) + [0x78]).error?.place == .compressedByte(gzip(bytes).count))
    for tail in garbage + [[0], zeros] {
      #expect(read(zstd(bytes) + tail, name: "x.zst").error?.code == .corruptCompression, "\(tail)")
    }
  }

  @Test func `a file name that does not match the compression is an error`() throws {
    for (name, word) in [("x.csv.gz", "gzip"), ("x.csv.zst", "Zstandard")] {
      let plain = try #require(read(Array("a\n1\n".utf8), name: name).error)
      #expect(plain.code == .corruptCompression && plain.place == .compressedByte(0))
      #expect(plain.reason.contains(word) && plain.reason.contains("it is named like"))
      let empty = try #require(read([], name: name).error)
      #expect(empty.code == .corruptCompression && empty.place == .compressedByte(0))
      #expect(empty.reason.contains("export or copy the file again"))
    }
    // The content decides the format, regardless of the name.
    #expect(read(zstd(Self.table(2)), name: "x.gz").records.count == 2)
    #expect(read(gzip(Self.table(2)), name: "x.csv").records.count == 2)
  }

  @Test(
    arguments: [
      ("xz", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]), ("bzip2", Array("BZh91AY&SY".utf8)),
      ("zip", [0x50, 0x4B, 0x03, 0x04]), ("lz4", [0x04, 0x22, 0x4D, 0x18]),
    ] as [(String, [UInt8])])
  func `an unsupported compression is named in the error`(_ name: String, _ magic: [UInt8]) throws {
    for format in [ExportFormat.csv, .jsonl, .realtime] {
      let error = try #require(read(magic + [0, 0, 0, 0], format).error)
      #expect(error.code == .unsupportedCompression && error.reason.contains(name))
    }
  }

  @Test func `a text that starts like bzip2 is a text`() {
    #expect(read(Array("BZh,a\n1,2\n".utf8)).records == [.row(2, "2")])
  }

  @Test func `a gzip header may have a name, a comment and more`() {
    let bytes = Self.table(3)
    let plain = gzip(bytes)
    let parts = [[4, 0, 1, 2, 3, 4], Array("x.csv\0".utf8), Array("a comment\0".utf8)] as [[UInt8]]
    // The header has the flags FEXTRA, FNAME and FCOMMENT.
    let named =
      Array(plain[..<3]) + [0x04 | 0x08 | 0x10] + Array(plain[4..<10]) + parts.joined() + plain[10...]
    for chunk in [1, 1 << 18] { #expect(read(named, chunk: chunk).records == read(bytes).records) }
    for end in 10..<named.count - bytes.count {
      #expect(read(Array(named[..<end])).error?.place == .compressedByte(end))
    }
    // The compression method is not deflate.
    #expect(read([0x1F, 0x8B, 9] + plain[3...]).error?.code == .corruptCompression)
  }

  @Test func `a window of more than 128 MiB is rejected with the limit`() throws {
    // The frame has one empty block and a window of 2 GiB.
    let error = try #require(read([0x28, 0xB5, 0x2F, 0xFD, 0x00, 0xA8, 0x01, 0x00, 0x00]).error)
    #expect(error.code == .unsupportedCompression && error.reason.contains("128 MiB"))
  }

  @Test func `nested compression is not expanded`() {
    for twice in [gzip(gzip(Self.table(3))), zstd(gzip(Self.table(3))), gzip(zstd(Self.table(3)))] {
      #expect(read(twice).error?.code == .invalidUTF8)
      #expect(read(twice, .json).error?.code == .invalidUTF8)
      #expect(read(twice, .jsonl).records.allSatisfy { $0.rule == .badJSON })
      #expect(read(twice, .parse).error?.code == .wrongShape)
    }
  }

  @Test func `the limit of bytes is inclusive`() throws {
    let bytes = Self.table(1000)
    for file in [gzip(bytes), zstd(bytes)] {
      for chunk in [1, 1000, 1 << 18] {
        let enough = read(file, chunk: chunk, limits: ExpansionLimits(bytes: bytes.count))
        #expect(enough.error == nil && enough.records.count == 1000)
        let error = try #require(
          read(file, chunk: chunk, limits: ExpansionLimits(bytes: bytes.count - 1)).error)
        #expect(error.code == .expansionLimit && error.reason.contains("max_expanded"))
      }
    }
    #expect(read(bytes, limits: ExpansionLimits(bytes: 1, ratio: 1)).records.count == 1000)
  }

  @Test func `the limit of the ratio is inclusive`() throws {
    func produce(_ produced: Int, from consumed: Int, ratio: Int) -> ExportError? {
      var expansion = ExpansionGuard(file: "x", limits: ExpansionLimits(ratio: ratio))
      expansion.consumed = consumed
      do {
        try expansion.produce(produced)
        return nil
      } catch {
        return error
      }
    }
    let size = 2 << 20
    #expect(produce(size, from: size / 8, ratio: 8) == nil)
    #expect(produce(size + 1, from: size / 8, ratio: 8)?.code == .expansionLimit)
    #expect(produce(size, from: size / 8 - 1, ratio: 8)?.code == .expansionLimit)
    #expect(produce(size, from: 1, ratio: .max) == nil)
    // The ratio applies only above a minimum size.
    #expect(produce(1 << 20, from: 1, ratio: 1) == nil)
    #expect(produce(1 << 21, from: 0, ratio: 1)?.code == .expansionLimit)
    let bytes = Array("a\n".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 4 << 20)
    for file in [gzip(bytes), zstd(bytes)] {
      let error = try #require(read(file, limits: ExpansionLimits(ratio: 20)).error)
      #expect(error.code == .expansionLimit && error.reason.contains("max_ratio"))
    }
    #expect(read(gzip(bytes), limits: ExpansionLimits(ratio: 2000)).error == nil)
  }

  @Test func `a decompression bomb stops early`() throws {
    // The bomb has 64 small members that expand to 1 GiB of zeros.
    let member = gzip([UInt8](repeating: 0, count: 16 << 20), level: 9)
    let frame = zstd([UInt8](repeating: 0, count: 16 << 20), level: 9)
    for (bomb, format) in [(member, ExportFormat.csv), (member, .jsonl), (frame, .csv), (frame, .realtime)] {
      let file = Array(repeatElement(bomb, count: 64).joined())
      let error = try #require(read(file, format).error)
      #expect(error.code == .expansionLimit, "\(format): \(error)")
      guard case .compressedByte(let byte) = error.place else {
        Issue.record("\(format): \(error)")
        continue
      }
      #expect(byte < bomb.count)
    }
  }
}

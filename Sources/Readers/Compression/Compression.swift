/// The compression of a file, detected from its first bytes. A file whose name has a compression suffix must
/// be compressed.
enum Compression {
  case gzip
  case zstd

  /// The number of bytes needed for detection.
  static let magicLength = 6
  private static let gzipMagic: [UInt8] = [0x1F, 0x8B]
  private static let zstdMagic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
  /// The start of a skippable frame of Zstandard. The low four bits of the first byte can have any value.
  private static let skippableMagic: [UInt8] = [0x50, 0x2A, 0x4D, 0x18]

  /// Decompresses `source` if it is compressed.
  ///
  /// - Parameters:
  ///   - source: The file's bytes.
  ///   - file: The file name. A file whose name ends in `.gz` or `.zst` must be compressed.
  ///   - limits: The limits of the expanded size.
  /// - Returns: A source of the decompressed bytes.
  /// - Throws: `unsupported_compression`, `corrupt_compression`, `unreadable` if memory cannot be allocated,
  ///   and errors of `source`.
  static func expanded(
    _ source: any ByteSource, file: String, limits: ExpansionLimits
  ) throws(ExportError) -> any ByteSource {
    let magic = try beginning(of: source)
    let whole = PrefixedBytes(magic, then: source)
    switch try compression(magic, file: file) {
    case .gzip: return try GzipBytes(whole, guardedBy: ExpansionGuard(file: file, limits: limits))
    case .zstd: return try ZstdBytes(whole, guardedBy: ExpansionGuard(file: file, limits: limits))
    case nil: return whole
    }
  }

  private static func beginning(of source: any ByteSource) throws(ExportError) -> [UInt8] {
    var magic = [UInt8](repeating: 0, count: magicLength)
    var count = 0
    while count < magicLength {
      let got: Int
      do {
        got = try unsafe magic.withUnsafeMutableBytes { buffer in
          try unsafe source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
        }
      } catch let error as ExportError {
        throw error
      } catch {
        preconditionFailure("a source throws only ExportError, not \(error)")
      }
      if got == 0 { break }
      count += got
    }
    return Array(magic[..<count])
  }

  private static func compression(_ magic: [UInt8], file: String) throws(ExportError) -> Compression? {
    if magic.starts(with: gzipMagic) { return .gzip }
    if magic.starts(with: zstdMagic) { return .zstd }
    // Some tools write skippable frames at the start of a Zstandard file.
    var skippable = skippableMagic
    if let first = magic.first, first & 0xF0 == skippable[0] { skippable[0] = first }
    if magic.starts(with: skippable) { return .zstd }
    let foreign: [(name: String, magic: [UInt8])] = [
      ("xz", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]), ("bzip2", [0x42, 0x5A, 0x68]),
      ("zip", [0x50, 0x4B, 0x03, 0x04]), ("lz4", [0x04, 0x22, 0x4D, 0x18]),
    ]
    // A text may start with "BZh", so the fifth byte is checked, too. In a bzip2 file, the fifth byte is the
    // first byte of a block, and each block begins with digits of pi.
    for (name, bytes) in foreign where magic.starts(with: bytes) {
      if name == "bzip2", magic.count < 5 || magic[4] != 0x31 { continue }
      throw ExportError(
        .unsupportedCompression, file: file,
        reason:
          "it is compressed with \(name), which is not supported; compress it with gzip or Zstandard")
    }
    let promised: [(ending: String, name: String, magics: [[UInt8]])] = [
      (".gz", "gzip", [gzipMagic]), (".zst", "Zstandard", [zstdMagic, skippable]),
    ]
    for (ending, name, magics) in promised where file.hasSuffix(ending) {
      let isCut = magics.contains { $0.starts(with: magic) }
      throw ExportError(
        .corruptCompression, file: file, place: .compressedByte(isCut ? magic.count : 0),
        reason: isCut
          ? "the \(name) file ends inside its header; export or copy the file again"
          : "it is named like a \(name) file, but its content is not \(name); correct the name, or export the file again"
      )
    }
    return nil
  }
}

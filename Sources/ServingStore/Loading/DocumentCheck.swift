internal import CSimdJSON

/// Checks with simdjson whether texts are valid documents.
///
/// A document that passes is UTF-8 and JSON, and thus contains U+0000 only as an escape. simdjson also
/// rejects some valid JSON: escapes of half a surrogate pair, and more than a thousand levels of nesting.
@safe
struct DocumentCheck: ~Copyable {
  /// The number of bytes that the parser may read past a text. The values of these bytes do not matter.
  static let padding = Int(NJSON_PADDING)

  private let extractor: OpaquePointer
  private var padded: [UInt8] = []

  init() {
    guard let created = unsafe njson_create() else { preconditionFailure("cannot allocate a parser") }
    unsafe extractor = created
  }

  deinit {
    unsafe njson_destroy(extractor)
  }

  /// Whether the bytes at `range` are a document. At least `padding` bytes must follow them in `bytes`.
  borrowing func accepts(_ range: Range<Int>, of bytes: Span<UInt8>) -> Bool {
    precondition(
      range.upperBound + Self.padding <= bytes.count, "\(range) of \(bytes.count) bytes lacks its padding")
    // simdjson skips a byte order mark, which JSON does not allow.
    guard !range.isEmpty, bytes[range.lowerBound] != 0xEF else { return false }
    return unsafe bytes.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return false }
      return unsafe njson_validate(extractor, base + range.lowerBound, range.count) == 0
    }
  }

  /// Whether `text` is a document. The text is copied.
  mutating func accepts(_ text: Span<UInt8>) -> Bool {
    padded.removeAll(keepingCapacity: true)
    unsafe text.withUnsafeBufferPointer { unsafe padded.append(contentsOf: $0) }
    padded.append(contentsOf: repeatElement(0, count: Self.padding))
    return accepts(0..<text.count, of: padded.span)
  }
}

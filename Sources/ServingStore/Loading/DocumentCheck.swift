internal import CSimdJSON

/// Checks with simdjson whether texts are valid JSON documents in UTF-8.
///
/// A valid document contains U+0000 only as an escape. simdjson also rejects some valid JSON: escapes of
/// unpaired surrogates, and more than a thousand levels of nesting.
@safe
struct DocumentCheck: ~Copyable {
  /// The number of bytes that the parser may read past the end of a text. The values of these bytes do not
  /// matter.
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

  /// Returns whether the bytes at `range` are a valid document. At least `padding` bytes must follow `range`
  /// in `bytes`.
  borrowing func accepts(_ range: Range<Int>, of bytes: Span<UInt8>) -> Bool {
    precondition(
      range.upperBound + Self.padding <= bytes.count,
      "\(range) of \(bytes.count) bytes has no padding after it")
    // simdjson skips a byte order mark, which JSON does not allow.
    guard !range.isEmpty, bytes[range.lowerBound] != 0xEF else { return false }
    return unsafe bytes.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return false }
      return unsafe njson_validate(extractor, base + range.lowerBound, range.count) == 0
    }
  }

  /// Returns whether `text` is a valid document. The text is copied to add padding.
  mutating func accepts(_ text: Span<UInt8>) -> Bool {
    padded.removeAll(keepingCapacity: true)
    unsafe text.withUnsafeBufferPointer { unsafe padded.append(contentsOf: $0) }
    padded.append(contentsOf: repeatElement(0, count: Self.padding))
    return accepts(0..<text.count, of: padded.span)
  }
}

internal import CBytes

/// The possible field starts in a part of a window: the places after certain bytes.
///
/// Each byte is scanned only once, together with many others, so short fields do not slow down the scan. The
/// callers interpret the places.
struct FieldPlaces {
  /// The number of bytes indexed at once. These bytes and their places fit in the L1 cache.
  static let reach = 1 << 14

  /// The bytes after which a place is recorded.
  enum Stops {
    /// Delimiters, quotes, LF and CR.
    case delimited(delimiter: UInt8, quote: UInt8)
    /// Bytes that end a JSON string or its plain text: quotes, backslashes and control characters, including
    /// LF.
    case json
  }

  private let stops: Stops
  /// The offset in the window of the first indexed byte.
  private(set) var base = 0
  /// The places relative to `base`: 0, and the offset after each stop. The array has spare elements at its
  /// end.
  private(set) var places = [UInt32](repeating: 0, count: 1)
  /// For each chunk of 64 bytes in the last scan: the mask of the stops, and the number of places up to the
  /// end of the chunk, without the first place. The C function reuses these values if the next scan finds the
  /// same masks.
  private var stopsOfChunks = [UInt64](repeating: 0, count: reach / 64)
  private var placesOfChunks = [UInt32](repeating: 0, count: reach / 64)
  private var knownChunks = 0
  /// The number of valid elements in `places`.
  private(set) var count = 0
  /// The number of LFs among the stops, and whether quotes or CRs may occur. Both are valid only for
  /// delimited files.
  private(set) var lineFeeds = 0
  private(set) var mayHaveRare = true

  init(_ stops: Stops) { self.stops = stops }

  /// Indexes the bytes from `offset` on, at most `reach` of them.
  ///
  /// - Parameters:
  ///   - offset: The start of a row in the window.
  ///   - padded: The window, with 64 more bytes after its end.
  ///   - end: The end of the window, at or after `offset`.
  mutating func look(from offset: Int, in padded: RawSpan, end: Int) {
    let length = min(end - offset, Self.reach)
    base = offset
    // Each byte is at most one stop, and up to 63 bytes after the end may also be stops. The C function also
    // writes some excess places.
    let room = 1 + length + 63 + cbytes_slack
    if places.count < room {
      places = Array(repeating: 0, count: room)
      knownChunks = 0
    }
    var census = cbytes_census()
    // `extracting` checks the bounds of the bytes that the C function reads.
    let part = padded.extracting(offset..<offset + (length + 63) / 64 * 64)
    var known = unsafe part.withUnsafeBytes { unsafe 1 + find($0, length, &census) }
    // Bytes after the end may look like stops, so their places are removed.
    while places[known - 1] > length {
      known -= 1
      if unsafe part.unsafeLoad(fromByteOffset: Int(places[known]) - 1, as: UInt8.self) == lineFeed {
        census.line_feeds -= 1
      }
    }
    count = known
    lineFeeds = census.line_feeds
    mayHaveRare = census.has_rare != 0
  }

  /// Writes the places after the stops in the first `length` bytes of `bytes`. Padding must follow these
  /// bytes. Returns the number of places.
  private mutating func find(
    _ bytes: UnsafeRawBufferPointer, _ length: Int, _ census: inout cbytes_census
  ) -> Int {
    let stops = stops
    return unsafe places.withUnsafeMutableBufferPointer { places in
      unsafe stopsOfChunks.withUnsafeMutableBufferPointer { stopsOfChunks in
        unsafe placesOfChunks.withUnsafeMutableBufferPointer { placesOfChunks in
          guard let start = bytes.baseAddress, let first = places.baseAddress,
            let ofChunks = stopsOfChunks.baseAddress, let found = placesOfChunks.baseAddress
          else { return 0 }
          unsafe first.pointee = 0
          var chunks = unsafe cbytes_chunks(stops: ofChunks, found: found, known: knownChunks)
          defer { unsafe knownChunks = chunks.known }
          return switch stops {
          case .delimited(let delimiter, let quote):
            unsafe places_behind(start, length, delimiter, quote, first + 1, &chunks, &census)
          case .json: unsafe places_behind_text(start, length, first + 1, &chunks)
          }
        }
      }
    }
  }

  /// Returns the offset in the window of the place with this index.
  func offset(_ index: Int) -> Int { base + Int(places[index]) }

  /// Returns the index of the place at `offset` of the window; `nil` if this place is not indexed. The search
  /// begins at the index `first`.
  func index(of offset: Int, from first: Int) -> Int? {
    var index = first
    while index < count, self.offset(index) < offset { index += 1 }
    return index < count && self.offset(index) == offset ? index : nil
  }
}

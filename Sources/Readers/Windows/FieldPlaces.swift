internal import CBytes

/// Where fields may begin in a part of a window: behind each byte of some kinds.
///
/// Each byte is looked at once, many at a time, however short the fields are. What a place means is for others to tell.
struct FieldPlaces {
  /// Of how many bytes the places are known at once: they and their places fit a processor's first cache.
  static let reach = 1 << 14

  /// Behind which bytes there is a place.
  enum Stops {
    /// Delimiters, quotes, LF and CR.
    case delimited(delimiter: UInt8, quote: UInt8)
    /// What ends a JSON string or its plain text: quotes, backslashes and control characters, LF among them.
    case json
  }

  private let stops: Stops
  /// Where the bytes begin whose places are known.
  private(set) var base = 0
  /// Counted from `base`: 0, and where a stop ends. There is room behind the last.
  private(set) var places = [UInt32](repeating: 0, count: 1)
  /// By 64 bytes: which of them were stops, and how many places behind the first there were up to there, of as many as are known from the last look.
  private var stopsOfChunks = [UInt64](repeating: 0, count: reach / 64)
  private var placesOfChunks = [UInt32](repeating: 0, count: reach / 64)
  private var knownChunks = 0
  /// How many of `places` are known.
  private(set) var count = 0
  /// How many of the stops are LF, and whether there may be quotes or CR among them; of delimited files alone.
  private(set) var lineFeeds = 0
  private(set) var mayHaveRare = true

  init(_ stops: Stops) { self.stops = stops }

  /// Looks at the bytes from `offset` on, up to `reach` of them.
  ///
  /// - Parameters:
  ///   - offset: Where a row begins in the window.
  ///   - padded: The window, with 64 more bytes behind its end.
  ///   - end: The end of the window, not before `offset`.
  mutating func look(from offset: Int, in padded: RawSpan, end: Int) {
    let length = min(end - offset, Self.reach)
    base = offset
    // As many stops as bytes at most, those among up to 63 bytes behind them, and what is written beside them.
    let room = 1 + length + 63 + cbytes_slack
    if places.count < room {
      places = Array(repeating: 0, count: room)
      knownChunks = 0
    }
    var census = cbytes_census()
    // Checks the bounds of what C looks at.
    let part = padded.extracting(offset..<offset + (length + 63) / 64 * 64)
    var known = unsafe part.withUnsafeBytes { unsafe 1 + find($0, length, &census) }
    // What is behind the end may look like a stop.
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

  /// Writes the places behind stops among `bytes`, of which there are `length` and some more, and returns how many there are.
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

  /// Where in the window a place is.
  func offset(_ index: Int) -> Int { base + Int(places[index]) }

  /// The number of the place at `offset` of the window among those from `first` on; `nil` where it is none that is known.
  func index(of offset: Int, from first: Int) -> Int? {
    var index = first
    while index < count, self.offset(index) < offset { index += 1 }
    return index < count && self.offset(index) == offset ? index : nil
  }
}

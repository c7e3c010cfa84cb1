internal import CBytes
internal import Text

/// Returns the physical line, from 1, that contains the byte at `offset`. LF, CR LF and CR each end a line.
///
/// - Complexity: O(n). Many bytes are processed per cycle, because all bytes of a JSON export are counted.
func lineNumber(of offset: Int, in bytes: Span<UInt8>) -> Int {
  let end = min(offset, bytes.count)
  let isInPair =
    end > 0 && end < bytes.count && bytes[end - 1] == carriageReturn && bytes[end] == lineFeed
  return 1 + lineEnds(in: bytes.extracting(0..<end)) - (isInPair ? 1 : 0)
}

/// Returns the number of line ends in `bytes`. A CR at the end counts.
func lineEnds(in bytes: Span<UInt8>) -> Int {
  let (feeds, mayHaveReturns) = lineFeeds(in: bytes)
  guard mayHaveReturns, let first = bytes.firstIndex(of: carriageReturn) else { return feeds }
  var alone = 0
  for index in first..<bytes.count where bytes[index] == carriageReturn {
    if index + 1 == bytes.count || bytes[index + 1] != lineFeed { alone += 1 }
  }
  return feeds + alone
}

/// Counts the LFs in `bytes`, 64 bytes at a time, and detects whether a CR or the byte `rare` occurs.
/// `mayHaveRare` is exact unless `rare` is NUL, which pads the last bytes.
func lineFeeds(in bytes: Span<UInt8>, alsoSeeking rare: UInt8 = carriageReturn) -> (
  count: Int, mayHaveRare: Bool
) {
  unsafe bytes.withUnsafeBytes { bytes in
    guard let base = bytes.baseAddress else { return (0, false) }
    let census = unsafe census_of(base, bytes.count, rare)
    return (census.line_feeds, census.has_rare != 0)
  }
}

/// The physical line, from 1, that holds the byte at `offset`. LF, CR LF and CR each end a line.
func lineNumber(of offset: Int, in bytes: Span<UInt8>) -> Int {
  let end = min(offset, bytes.count)
  // Two plain sums, which the compiler does many bytes at a time; returns are rare.
  var feeds = 0
  var returns = 0
  for index in 0..<end {
    feeds &+= bytes[index] == lineFeed ? 1 : 0
    returns &+= bytes[index] == carriageReturn ? 1 : 0
  }
  guard returns > 0 else { return 1 + feeds }
  var pairs = 0
  for index in 0..<end where bytes[index] == carriageReturn {
    if index + 1 < bytes.count, bytes[index + 1] == lineFeed { pairs += 1 }
  }
  return 1 + feeds + returns - pairs
}

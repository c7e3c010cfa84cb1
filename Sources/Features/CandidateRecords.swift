internal import CPrefetch

/// A table with one record per candidate. The record contains the values that the features of a space read.
///
/// Learning rows access candidates in random order. Separate columns would cost a cache miss per feature; a
/// record costs one or two cache misses in total.
struct CandidateRecords: Sendable {
  /// The offsets of one feature's inputs in a record.
  struct RecordPlace: BitwiseCopyable {
    /// The offset of the feature's code among the codes; `nil` if the feature's shape reads no code.
    var code: Int?
    /// The offset of the feature's first number among the numbers. Sets of codes and vectors are not in the
    /// records, because the shapes store them.
    var number = 0
    var numberCount = 0
  }

  /// The place of each feature's inputs in a record.
  let places: [RecordPlace]
  /// The codes of all candidates, `codeWidth` per candidate. `numbers` contains `numberWidth` numbers per
  /// candidate.
  let codes: [UInt32]
  let codeWidth: Int
  let numbers: [Double]
  let numberWidth: Int

  init(_ space: FeatureSpace) {
    var places: [RecordPlace] = []
    var (codeColumns, numberColumns): ([[UInt32]], [[Double]]) = ([], [])
    for feature in space.features {
      let read = feature.shape.learningColumns
      places.append(
        RecordPlace(
          code: read.codes == nil ? nil : codeColumns.count, number: numberColumns.count,
          numberCount: read.numbers.count))
      if let codes = read.codes { codeColumns.append(codes) }
      numberColumns += read.numbers
    }
    self.places = places
    codeWidth = codeColumns.count
    numberWidth = numberColumns.count
    codes = Self.byRow(codeColumns, count: space.candidates.count, filledWith: 0)
    numbers = Self.byRow(numberColumns, count: space.candidates.count, filledWith: 0)
  }

  private static func byRow<Element>(_ columns: [[Element]], count: Int, filledWith filling: Element)
    -> [Element]
  {
    var rows = [Element](repeating: filling, count: count * columns.count)
    var output = rows.mutableSpan
    for (place, column) in columns.enumerated() {
      let column = column.span
      for row in 0..<count { output[row * columns.count + place] = column[row] }
    }
    return rows
  }

  /// Prefetches the start of a candidate's codes, and the start and the end of its numbers. Most records fit
  /// into these cache lines.
  @inline(__always)
  func prefetch(_ candidate: Int) {
    unsafe codes.withUnsafeBufferPointer { codes in
      guard codeWidth > 0, let base = codes.baseAddress else { return }
      unsafe prefetch_line(base + candidate * codeWidth)
    }
    unsafe numbers.withUnsafeBufferPointer { numbers in
      guard numberWidth > 0, let base = numbers.baseAddress else { return }
      unsafe prefetch_line(base + candidate * numberWidth)
      unsafe prefetch_line(base + (candidate * numberWidth + numberWidth - 1))
    }
  }

  /// Writes the codes of `feature` for the first `count` of `candidates` to `output`, starting at `base`.
  func copyCodes(
    of feature: Int, _ candidates: [Int], count: Int, into output: inout [UInt32], at base: Int
  ) {
    guard let offset = places[feature].code else { preconditionFailure("feature \(feature) has no code") }
    let (source, rows) = (codes.span, candidates.span)
    var output = output.mutableSpan
    for place in 0..<count { output[base + place] = source[rows[place] * codeWidth + offset] }
  }

  /// Writes number `offset` of `feature`, counted from 0, for the first `count` of `candidates` to `output`,
  /// starting at `base`.
  func copyNumbers(
    of feature: Int, offset: Int, _ candidates: [Int], count: Int, into output: inout [Double], at base: Int
  ) {
    let first = places[feature].number
    precondition(offset < places[feature].numberCount, "feature \(feature) has no number \(offset)")
    let (source, rows) = (numbers.span, candidates.span)
    var output = output.mutableSpan
    for place in 0..<count { output[base + place] = source[rows[place] * numberWidth + first + offset] }
  }
}

internal import CSimdJSON

/// Finds runs of JSON lines that have the form of an earlier line.
struct OrdinaryLines {
  /// Consecutive lines of the same form.
  struct LineRun {
    var count: Int
    fileprivate var start: Int
    /// The end of the last line.
    var end: Int
  }

  private let keys: [[UInt8]]
  private let recordLimit: Int
  private var form: LineForm?
  private var slotOfColumn: [Int] = []
  private var isWord: [Bool] = []
  /// The number of consecutive lines with another form. A few such lines do not replace the form.
  private var misses = 0
  private static let missesToLearn = 4
  /// The remaining number of attempts to learn a form. If values are not plain, further attempts would only
  /// cost time.
  private var attempts = 32
  private var places = FieldPlaces(.json)
  /// The index in `places` of the entry for the start of the next line, or of an earlier entry.
  private var place = 0
  /// The end of the indexed lines if all of them are valid UTF-8, otherwise their start.
  private var checked = 0
  /// Offsets relative to the start of the run's first line: for each value, its start, and one byte after its
  /// end.
  private var ends: [UInt32] = []

  /// Creates a search that has no form yet.
  ///
  /// - Parameters:
  ///   - keys: The keys of the requested fields.
  ///   - recordLimit: The maximum number of bytes in a line.
  init(_ keys: [[UInt8]], recordLimit: Int) {
    self.keys = keys
    self.recordLimit = recordLimit
  }

  /// Receives a JSON object on a line that did not match the form. Adopts the line's form if all its values
  /// are plain, and if no form exists yet or several lines in a row did not match.
  mutating func learn(_ line: Range<Int>, in window: borrowing ByteWindow) {
    misses += 1
    // A line longer than the indexed bytes could never match.
    guard form == nil || misses >= Self.missesToLearn, attempts > 0, line.count < FieldPlaces.reach,
      line.upperBound < window.count
    else { return }
    let bytes = window.bytes
    guard let form = LineForm(bytes.extracting(line.lowerBound..<line.upperBound + 1), keys: keys) else {
      attempts -= 1
      return
    }
    // Each value adds two places to `ends`, so a second column follows each value's column. No field requests
    // the second column, which is the literal after the value.
    slotOfColumn = form.slots.flatMap { [$0, -1] }
    isWord = form.isWord.flatMap { [$0, false] }
    self.form = form
  }

  /// Returns the lines from `offset` on that have the form, at most to the end of the indexed bytes; `nil` if
  /// the first line has another form.
  mutating func run(from offset: Int, in window: borrowing ByteWindow) -> LineRun? {
    guard let form, offset < window.count else { return nil }
    if let index = places.index(of: offset, from: place) {
      place = index
    } else {
      look(from: offset, in: window)
    }
    // Indexing restarts at a line that is only partly in the indexed bytes.
    if place > 0, checked == offset, places.offset(places.count - 1) < window.count {
      look(from: offset, in: window)
    }
    var run = LineRun(count: 0, start: offset, end: offset)
    ends.removeAll(keepingCapacity: true)
    while run.end < checked, match(form, &run, window.padded) {}
    guard run.count > 0 else { return nil }
    misses = 0
    return run
  }

  /// Returns the lines of a run, valid until the next search for a run.
  @_lifetime(borrow self, borrow window)
  func rows(of run: LineRun, number: Int, in window: borrowing ByteWindow) -> OrdinaryRows {
    OrdinaryRows(
      count: run.count, firstNumber: number, unit: .line,
      padded: window.padded.extracting(run.start..<window.count + ByteWindow.padding),
      text: window.bytes.extracting(run.start..<window.count), places: ends.span,
      stride: slotOfColumn.count, slotOfColumn: slotOfColumn.span, isWord: isWord.span)
  }

  private mutating func look(from offset: Int, in window: borrowing ByteWindow) {
    places.look(from: offset, in: window.padded, end: window.count)
    place = 0
    checked = offset
    let bytes = window.bytes
    var last = places.count - 1
    while last > 0, bytes[places.offset(last) - 1] != lineFeed { last -= 1 }
    let lines = bytes.extracting(offset..<places.offset(last))
    let isValid = unsafe lines.withUnsafeBufferPointer { lines in
      unsafe lines.baseAddress.map { unsafe njson_is_utf8($0, lines.count) } ?? true
    }
    if isValid { checked = offset + lines.count }
  }

  /// Adds the line after `run` to `run`, if it has the form. `place` is the index of the line's first entry.
  private mutating func match(_ form: LineForm, _ run: inout LineRun, _ padded: RawSpan) -> Bool {
    let literals = form.literals.span
    var index = place
    var offset = run.end
    guard literals[0].stands(at: offset, in: padded) else { return false }
    offset += literals[0].count
    index += literals[0].stops
    let known = ends.count
    for value in 0..<literals.count - 1 {
      let next = value + 1
      // The next literal must contain the next stop, which determines its position.
      guard index + 1 < places.count else { return forget(known) }
      let end = places.offset(index + 1) - 1 - literals[next].beforeStop
      guard end >= offset, literals[next].stands(at: end, in: padded),
        !form.isWord[value] || isWord(offset..<end, padded)
      else { return forget(known) }
      ends.append(UInt32(offset - run.start))
      ends.append(UInt32(end - run.start + 1))
      offset = end + literals[next].count
      index += literals[next].stops
    }
    guard offset <= checked, offset - 1 - run.end <= recordLimit else { return forget(known) }
    place = index
    run.end = offset
    run.count += 1
    return true
  }

  private mutating func forget(_ count: Int) -> Bool {
    ends.removeLast(ends.count - count)
    return false
  }

  @inline(__always)
  private func isWord(_ range: Range<Int>, _ padded: RawSpan) -> Bool {
    LineForm.isWord(Span(_bytes: padded.extracting(range)))
  }
}

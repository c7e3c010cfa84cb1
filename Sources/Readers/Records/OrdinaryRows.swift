/// Consecutive rows in the usual form, which can be read one column at a time. If code needs few columns of
/// many rows, reading columns is faster than reading records.
///
/// In a delimited file, these rows have as many fields as the header (at least two), no quotes, and the same
/// line end (LF or CR LF). In JSON Lines, these rows differ only in their values: see `LineForm`.
///
/// The rows are valid only during the call of the closure that receives them. This type and `Column` are
/// public because the compiler inlines only public code into other modules.
public struct OrdinaryRows: ~Copyable, ~Escapable {
  /// The number of rows, at least one.
  package let count: Int
  /// The unit of `number`.
  package let unit: PlaceUnit
  private let firstNumber: Int
  /// The file's bytes from the first row on. At least eight more bytes follow the last row, so that whole
  /// words can be loaded.
  package let bytes: RawSpan
  /// The same bytes as a span.
  package let text: Span<UInt8>
  /// Offsets from the first byte: for each row, the starts of its `stride` columns. Each column ends one byte
  /// before the start of the next column.
  private let places: Span<UInt32>
  private let stride: Int
  private let slotOfColumn: Span<Int>
  /// For each column, whether it contains JSON words: integers, `true` or `false`. The span is empty for
  /// delimited files.
  private let isWord: Span<Bool>

  @_lifetime(copy padded, copy text, copy places, copy slotOfColumn, copy isWord)
  init(
    count: Int, firstNumber: Int, unit: PlaceUnit, padded: RawSpan, text: Span<UInt8>, places: Span<UInt32>,
    stride: Int, slotOfColumn: Span<Int>, isWord: Span<Bool>
  ) {
    self.count = count
    self.firstNumber = firstNumber
    self.unit = unit
    self.bytes = padded
    self.text = text
    self.places = places
    self.stride = stride
    self.slotOfColumn = slotOfColumn
    self.isWord = isWord
  }

  /// Creates rows of a delimited file, which contains no JSON words.
  @_lifetime(copy padded, copy text, copy places, copy slotOfColumn)
  init(
    count: Int, firstNumber: Int, unit: PlaceUnit, padded: RawSpan, text: Span<UInt8>, places: Span<UInt32>,
    stride: Int, slotOfColumn: Span<Int>
  ) {
    self.init(
      count: count, firstNumber: firstNumber, unit: unit, padded: padded, text: text, places: places,
      stride: stride, slotOfColumn: slotOfColumn, isWord: Span())
  }

  /// Returns the number of a row, as in `Record.number`.
  package func number(of row: Int) -> Int { firstNumber + row }

  /// One field of each row.
  public struct Column: ~Escapable {
    /// `stride` places for each row. The first place is the start of the field. The second is one byte after
    /// the end of the field.
    @usableFromInline let places: Span<UInt32>
    @usableFromInline let stride: Int
    /// The number of rows.
    @usableFromInline let count: Int

    @_lifetime(copy places)
    init(_ places: Span<UInt32>, first: Int, stride: Int, count: Int) {
      // One check here covers all rows. A check of each place would dominate the time of `range(_:)`.
      precondition(
        first >= 0 && stride > 0 && count > 0 && first + (count - 1) * stride + 1 < places.count,
        "\(places.count) places are too few for column \(first) of \(count) rows with stride \(stride)")
      self.places = places.extracting(first..<places.count)
      self.stride = stride
      self.count = count
    }

    /// Returns the byte range of the field in the row with the index `row`, which must be in `0..<count`. The
    /// range is empty if the field is missing.
    @inlinable @inline(__always)
    public func range(_ row: Int) -> Range<Int> {
      precondition(UInt(bitPattern: row) < UInt(bitPattern: count))
      let place = row &* stride
      // `init` and the precondition above ensure that both indices are within `places`. The second place is
      // greater than the first: it is one byte after the end of the field.
      let start = unsafe places[unchecked: place]
      let next = unsafe places[unchecked: place &+ 1]
      return unsafe Range(uncheckedBounds: (Int(start), Int(next) &- 1))
    }
  }

  /// Returns the column of a requested field; `nil` if the file does not have the column, or if the column
  /// contains JSON words and `orOfWords` is false.
  ///
  /// - Parameters:
  ///   - field: The index of the field in the reader's `fields`.
  ///   - orOfWords: Whether the column may contain JSON words, which are not texts: integers, `true` and
  ///     `false`.
  /// - Returns: The column. Missing values are empty.
  @_lifetime(copy self)
  package func column(_ field: Int, orOfWords: Bool = false) -> Column? {
    precondition(field >= 0, "a field that was not requested has no column")
    for column in slotOfColumn.indices where slotOfColumn[column] == field {
      if !orOfWords, !isWord.isEmpty, isWord[column] { return nil }
      return Column(places, first: column, stride: stride, count: count)
    }
    return nil
  }

  /// Returns the location in these rows of the requested field with this index in the reader's `fields`.
  package func field(_ index: Int) -> Field {
    for column in slotOfColumn.indices where slotOfColumn[column] == index {
      return Field(column: column, isWord: !isWord.isEmpty && isWord[column])
    }
    return Field(column: nil, isWord: false)
  }

  /// The location of a field in each row. All rows have the same location.
  package struct Field: BitwiseCopyable {
    let column: Int?
    let isWord: Bool
  }

  /// Returns the value of the field in the row with the index `row`, which must be in `0..<count`. The value
  /// is the same as in `Record`.
  @_lifetime(borrow self)
  package func value(_ row: Int, of field: Field) -> FieldValue {
    guard let column = field.column else { return .missing }
    let place = row * stride + column
    let range = Int(places[place])..<Int(places[place + 1]) - 1
    if range.isEmpty { return .missing }
    let text = text.extracting(range)
    guard field.isWord else { return .text(ByteView(text)) }
    let slot = LineForm.slot(ofWord: text)
    return slot.kind == .boolean ? .boolean(slot.payload != 0) : .integer(slot.payload)
  }

  /// Calls `body` with a row as a record.
  package func withRecord<Failure: Error>(
    _ row: Int, in room: inout RecordRoom, _ body: (borrowing Record) throws(Failure) -> Void
  ) throws(Failure) {
    fill(&room.slots, row)
    try body(
      Record(number: number(of: row), unit: unit, slots: room.slots.span, file: text, scratch: Span()))
  }

  /// Calls `body` with each row as a record.
  package func forEachRecord(
    in room: inout RecordRoom, _ body: (borrowing Record) throws -> Void
  ) rethrows {
    for row in 0..<count {
      fill(&room.slots, row)
      try body(
        Record(number: number(of: row), unit: unit, slots: room.slots.span, file: text, scratch: Span()))
    }
  }

  private func fill(_ slots: inout [FieldSlot], _ row: Int) {
    // Slots may contain values of earlier rows, whose JSON form may have had other columns.
    if !isWord.isEmpty { for slot in slots.indices { slots[slot] = FieldSlot() } }
    var place = row * stride
    for column in slotOfColumn.indices {
      let slot = slotOfColumn[column]
      if slot >= 0 {
        let range = Int(places[place])..<Int(places[place + 1]) - 1
        if range.isEmpty {
          slots[slot] = FieldSlot()
        } else if !isWord.isEmpty, isWord[column] {
          slots[slot] = LineForm.slot(ofWord: text.extracting(range))
        } else {
          slots[slot] = FieldSlot(kind: .fileText, payload: Int64(range.lowerBound), count: range.count)
        }
      }
      place += 1
    }
  }
}

/// The memory for converting rows to single records. One value can be reused for many rows.
package struct RecordRoom {
  var slots: [FieldSlot]

  package init(fields: Int) { slots = Array(repeating: FieldSlot(), count: fields) }
}

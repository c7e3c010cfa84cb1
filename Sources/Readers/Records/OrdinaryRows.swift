/// Rows of a file that follow each other and are as nearly all rows are. Whoever wants few columns of many rows goes through
/// them a column at a time.
///
/// In a delimited file those of as many fields as the header has, at least two, without a quote, and ended all alike by LF or
/// by CR LF; in JSON Lines those that differ in nothing but their values: see `LineForm`.
///
/// They live as long as the call of the body that received them. Public, with the type below, as the compiler inlines in other
/// modules what is public alone.
public struct OrdinaryRows: ~Copyable, ~Escapable {
  /// How many there are, at least one.
  package let count: Int
  /// What `number` counts.
  package let unit: PlaceUnit
  private let firstNumber: Int
  /// The file's bytes from the first row on, and at least eight behind the last row's end, for loads of whole words.
  package let bytes: RawSpan
  /// The same.
  package let text: Span<UInt8>
  /// Counted from the first byte, row after row, `stride` for each row: where columns begin, the next one's place being one
  /// byte behind the end.
  private let places: Span<UInt32>
  private let stride: Int
  private let slotOfColumn: Span<Int>
  /// By column: whether it holds words of JSON; empty where none does.
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

  /// Rows without words of JSON.
  @_lifetime(copy padded, copy text, copy places, copy slotOfColumn)
  init(
    count: Int, firstNumber: Int, unit: PlaceUnit, padded: RawSpan, text: Span<UInt8>, places: Span<UInt32>,
    stride: Int, slotOfColumn: Span<Int>
  ) {
    self.init(
      count: count, firstNumber: firstNumber, unit: unit, padded: padded, text: text, places: places,
      stride: stride, slotOfColumn: slotOfColumn, isWord: Span())
  }

  /// The number of a row, as `Record.number`.
  package func number(of row: Int) -> Int { firstNumber + row }

  /// One field of each row.
  public struct Column: ~Escapable {
    /// Row after row, `stride` for each: where the field begins, and one byte behind its end.
    @usableFromInline let places: Span<UInt32>
    @usableFromInline let stride: Int
    /// How many rows there are.
    @usableFromInline let count: Int

    @_lifetime(copy places)
    init(_ places: Span<UInt32>, first: Int, stride: Int, count: Int) {
      // Looked at once for all rows: to check each place of each row takes longer than all else that `range` does.
      precondition(
        first >= 0 && stride > 0 && count > 0 && first + (count - 1) * stride + 1 < places.count,
        "\(count) rows of \(stride) places have no column at \(first) among \(places.count) places")
      self.places = places.extracting(first..<places.count)
      self.stride = stride
      self.count = count
    }

    /// Which of the rows' bytes the field is; none where it is missing.
    @inlinable @inline(__always)
    public func range(_ row: Int) -> Range<Int> {
      precondition(UInt(bitPattern: row) < UInt(bitPattern: count))
      let place = row &* stride
      // Within `places`, as `init` and the line above say. The second is greater: it is behind another byte, which
      // ends the field (`FieldPlaces`), or behind its end by one (`OrdinaryLines`).
      let start = unsafe places[unchecked: place]
      let next = unsafe places[unchecked: place &+ 1]
      return unsafe Range(uncheckedBounds: (Int(start), Int(next) &- 1))
    }
  }

  /// The column of the requested field with this index in the reader's `fields`; `nil` where the file has none.
  ///
  /// - Parameters:
  ///   - field: The field.
  ///   - orOfWords: Whether it may hold words of JSON, which are no texts: whole numbers, `true` and `false`.
  /// - Returns: The column, whose missing values are empty.
  @_lifetime(copy self)
  package func column(_ field: Int, orOfWords: Bool = false) -> Column? {
    precondition(field >= 0, "what nobody asked for is no column")
    for column in slotOfColumn.indices where slotOfColumn[column] == field {
      if !orOfWords, !isWord.isEmpty, isWord[column] { return nil }
      return Column(places, first: column, stride: stride, count: count)
    }
    return nil
  }

  /// Where the requested field with this index in the reader's `fields` stands in these rows.
  package func field(_ index: Int) -> Field {
    for column in slotOfColumn.indices where slotOfColumn[column] == index {
      return Field(column: column, isWord: !isWord.isEmpty && isWord[column])
    }
    return Field(column: nil, isWord: false)
  }

  /// Where a field stands; found once for all rows.
  package struct Field: BitwiseCopyable {
    let column: Int?
    let isWord: Bool
  }

  /// What `Record` has for the field in a row.
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
    // Rows before may have had columns that these have not, if a form in JSON was another one.
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

/// Where rows become records one at a time: for many, take it once.
package struct RecordRoom {
  var slots: [FieldSlot]

  package init(fields: Int) { slots = Array(repeating: FieldSlot(), count: fields) }
}

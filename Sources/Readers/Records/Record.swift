/// One record of an export: a row of a delimited file, an object, or a document.
///
/// A record is valid only during the call of the closure that receives it.
package struct Record: ~Copyable, ~Escapable {
  /// The record's number, from 1, in `unit`. A record of several lines has the number of its first line.
  package let number: Int
  /// The unit of `number`.
  package let unit: PlaceUnit
  /// The fault, if any. Like all parts of a record, it is borrowed, so that a record needs no allocation.
  private let faults: Span<RecordFault>
  @usableFromInline let slots: Span<FieldSlot>
  @usableFromInline let file: Span<UInt8>
  @usableFromInline let scratch: Span<UInt8>
  @usableFromInline let lists: Span<UInt8>

  @_lifetime(copy slots, copy file, copy scratch, copy lists)
  init(
    number: Int, unit: PlaceUnit, slots: Span<FieldSlot>, file: Span<UInt8>, scratch: Span<UInt8>,
    lists: Span<UInt8> = Span()
  ) {
    self.number = number
    self.unit = unit
    self.faults = Span()
    self.slots = slots
    self.file = file
    self.scratch = scratch
    self.lists = lists
  }

  /// Creates a row that could not be read because of the single fault in `faults`. All `slots` must be
  /// missing.
  @_lifetime(copy faults, copy slots)
  init(number: Int, unit: PlaceUnit, faults: Span<RecordFault>, slots: Span<FieldSlot>) {
    self.number = number
    self.unit = unit
    self.faults = faults
    self.slots = slots
    self.file = Span()
    self.scratch = Span()
    self.lists = Span()
  }

  /// The reason why the row could not be read as a record; `nil` for a valid record. All fields of a faulty
  /// row are missing.
  package var fault: RecordFault? { faults.isEmpty ? nil : faults[0] }

  /// The value of the requested field with this index in the reader's `fields`.
  ///
  /// - Complexity: O(1), no allocation.
  @inlinable package subscript(index: Int) -> FieldValue {
    @inline(__always)
    @_lifetime(borrow self)
    get {
      let slot = slots[index]
      switch slot.kind {
      case .missing: return .missing
      case .fileText: return .text(ByteView(file.extracting(slot.range)))
      case .scratchText: return .text(ByteView(scratch.extracting(slot.range)))
      case .integer: return .integer(slot.payload)
      case .number: return .number(Double(bitPattern: UInt64(bitPattern: slot.payload)))
      case .boolean: return .boolean(slot.payload != 0)
      case .list: return .list(FieldList(lists.extracting(slot.range)))
      case .structure: return .structure
      }
    }
  }
}

extension FieldSlot {
  /// For a text or a list, the range of its bytes.
  @usableFromInline @inline(__always)
  var range: Range<Int> { Int(payload)..<Int(payload) + count }
}

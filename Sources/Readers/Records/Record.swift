/// One record of an export: a line of a delimited file, an object, a document.
///
/// It lives as long as the call of the body that received it.
package struct Record: ~Copyable, ~Escapable {
  /// The record's number from 1: see `unit`. A record of several lines has the first one's.
  package let number: Int
  /// What `number` counts.
  package let unit: PlaceUnit
  /// The fault, if there is one: borrowed, as everything here, so that a record is made and forgotten without any cost.
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

  /// A row that could not be read, for the one reason in `faults`: all of `slots` are expected to be missing.
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

  /// Why the row could not be read as a record, if so: then every field is missing.
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
  /// Text, list: which bytes of its area.
  @usableFromInline @inline(__always)
  var range: Range<Int> { Int(payload)..<Int(payload) + count }
}

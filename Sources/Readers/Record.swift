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

/// Why one row could not be read as a record.
package struct RecordFault: Hashable, Sendable {
  /// The broken rule. The raw values are stable names for rejects and reports.
  package enum Rule: String, CaseIterable, Sendable {
    /// A delimited row has more or fewer fields than the header.
    case wrongFieldCount = "wrong_field_count"
    /// A quoted field is never closed.
    case unclosedQuote = "unclosed_quote"
    /// Something other than a delimiter or a line end follows a closing quote.
    case badQuote = "bad_quote"
    /// The line is not JSON; or the element has a malformed number or escape.
    case badJSON = "bad_json"
    /// The line or element is JSON but not an object.
    case notAnObject = "not_an_object"
    /// The record has more than 64 MiB: a line or an element without an end.
    case recordTooLong = "record_too_long"
    /// A field that was asked for stands twice in one JSON object.
    case duplicateKey = "duplicate_key"
    /// A JSON record nests objects and arrays more than 1024 levels deep.
    case nestingTooDeep = "nesting_too_deep"
    /// A JSON record has a number beyond a double's range.
    case numberOutOfRange = "number_out_of_range"
    /// A JSON record has half of a surrogate pair, which no text can hold.
    case loneSurrogate = "lone_surrogate"
    /// A Firestore document or field is not of the documented form.
    case badFirestoreValue = "bad_firestore_value"
  }

  /// The most bytes that `excerpt` keeps of a row.
  package static let excerptLimit = 120

  static let tooLongMessage = "the record has more than \(ByteWindow.recordLimit >> 20) MiB; does it end?"

  /// The broken rule.
  package var rule: Rule
  /// The rule and what was found, for people; without any of the row's content.
  package var message: String
  /// The beginning of the offending bytes: at most `excerptLimit`, cut between characters.
  package var excerpt: [UInt8]
}

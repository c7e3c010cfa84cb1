import CSimdJSON

/// Parses one JSON text at a time with simdjson, and extracts the values at the requested paths.
///
/// The extractor owns simdjson's C++ object and frees it. `strings` and `lists` are views of that object's
/// memory.
@safe struct JSONExtractor: ~Copyable {
  /// The outcome of parsing one JSON text.
  enum Outcome {
    /// `slots` and `strings` are filled.
    case record
    /// The text is a response without a document, which some formats allow.
    case noRecord
    /// simdjson rejected the text with this code.
    case refused(Int32)
    /// The text is well-formed, but not a record.
    case fault(RecordFault.Rule, message: String)
  }

  private let pointer: OpaquePointer
  private let fields: [String]
  private let missing: MissingTexts
  private var values: [njson_value]
  private var outcome = unsafe njson_outcome()
  /// One slot per path. Texts are in `strings`.
  var slots: [FieldSlot]
  /// For each path, whether any record so far has a value at this path.
  private(set) var isPresent: [Bool]
  private var presentCount = 0

  /// Creates an extractor for the values at `paths`.
  ///
  /// - Parameters:
  ///   - paths: The keys that lead to each field.
  ///   - fields: The paths as written in the request, for messages.
  ///   - lists: The fields whose arrays of scalars or objects become lists.
  ///   - missing: Texts that mean a missing value.
  init(
    paths: [FieldPath], fields: [String], lists: Set<String> = [], missing: MissingTexts = MissingTexts([])
  ) {
    // A failed small allocation ends the process, as everywhere in Swift.
    guard let pointer = unsafe njson_create() else { fatalError("out of memory") }
    unsafe self.pointer = unsafe pointer
    self.fields = fields
    self.missing = missing
    values = Array(repeating: njson_value(), count: paths.count)
    slots = Array(repeating: FieldSlot(), count: paths.count)
    isPresent = Array(repeating: false, count: paths.count)
    for (path, field) in zip(paths, fields) {
      let wantsList = lists.contains(field)
      let blob = path.keys.flatMap { $0 }
      let lengths = path.keys.map(\.count)
      let isAdded = unsafe blob.withUnsafeBufferPointer { blob in
        guard let base = blob.baseAddress else { preconditionFailure("a path has no empty keys") }
        var starts: [UnsafePointer<UInt8>] = unsafe []
        var offset = 0
        for length in lengths {
          unsafe starts.append(base + offset)
          offset += length
        }
        return unsafe njson_add_path(pointer, starts, lengths, lengths.count, wantsList)
      }
      guard isAdded else { fatalError("out of memory") }
    }
  }

  deinit { unsafe njson_destroy(pointer) }

  /// The bytes that text slots of the last record refer to.
  var strings: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      guard let start = unsafe outcome.strings else { return Span() }
      return unsafe _overrideLifetime(
        Span(_unsafeStart: start, count: outcome.strings_length), borrowing: self)
    }
  }

  /// The bytes that list slots of the last record refer to.
  var lists: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      guard let start = unsafe outcome.lists else { return Span() }
      return unsafe _overrideLifetime(
        Span(_unsafeStart: start, count: outcome.lists_length), borrowing: self)
    }
  }

  /// Parses the text in `range` of `padded` and fills `slots`. `ByteWindow.padding` bytes must follow the
  /// range.
  mutating func extract(_ range: Range<Int>, of padded: RawSpan, _ dialect: JSONDialect) -> Outcome {
    let dialect = dialect.code
    Self.check(range, padded)
    unsafe outcome = padded.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { preconditionFailure("padded bytes are never empty") }
      let start = unsafe (base + range.lowerBound).assumingMemoryBound(to: UInt8.self)
      return unsafe values.withUnsafeMutableBufferPointer { values in
        unsafe njson_extract(pointer, start, range.count, dialect, values.baseAddress)
      }
    }
    switch unsafe outcome.status {
    case NJSON_RECORD:
      fillSlots()
      return .record
    case NJSON_NO_RECORD:
      return .noRecord
    case NJSON_NOT_AN_OBJECT:
      return .fault(.notAnObject, message: "a record must be an object")
    case NJSON_DUPLICATE_KEY:
      let path = Int(unsafe outcome.path)
      let key = fields.indices.contains(path) ? "the key '\(fields[path])'" : "a required key"
      return .fault(.duplicateKey, message: "\(key) occurs twice")
    case NJSON_BAD_VALUE:
      return .fault(.badFirestoreValue, message: badValueMessage(path: Int(unsafe outcome.path)))
    default:
      return .refused(unsafe outcome.error)
    }
  }

  /// Returns the names of the last record's top-level keys, at most 64.
  borrowing func keys() -> [String] {
    let capacity = 64
    return unsafe withUnsafeTemporaryAllocation(of: UnsafePointer<UInt8>?.self, capacity: capacity) {
      starts in
      unsafe withUnsafeTemporaryAllocation(of: Int.self, capacity: capacity) { lengths in
        guard let startsBase = starts.baseAddress, let lengthsBase = lengths.baseAddress else { return [] }
        let count = unsafe njson_keys(pointer, startsBase, lengthsBase, capacity)
        return (0..<count).map { index in
          unsafe String(
            decoding: UnsafeBufferPointer(start: starts[index], count: lengths[index]), as: UTF8.self)
        }
      }
    }
  }

  /// Validates the text in `range` of `padded`. Returns 0 if it is JSON, otherwise simdjson's error code.
  borrowing func validate(_ range: Range<Int>, of padded: RawSpan) -> Int32 {
    Self.check(range, padded)
    return unsafe padded.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { preconditionFailure("padded bytes are never empty") }
      return unsafe njson_validate(
        pointer, (base + range.lowerBound).assumingMemoryBound(to: UInt8.self), range.count)
    }
  }

  private static func check(_ range: Range<Int>, _ padded: RawSpan) {
    precondition(
      range.upperBound + ByteWindow.padding <= padded.byteCount,
      "\(range) is outside of \(padded.byteCount) bytes with their padding")
  }

  private mutating func fillSlots() {
    for index in slots.indices {
      let value = values[index]
      slots[index] = Self.slot(value)
      if !missing.isEmpty, isMissing(slots[index]) { slots[index] = FieldSlot() }
      if presentCount < slots.count, !isPresent[index], value.kind != NJSON_ABSENT {
        isPresent[index] = true
        presentCount += 1
      }
    }
  }

  private func isMissing(_ slot: FieldSlot) -> Bool {
    switch slot.kind {
    case .scratchText: missing.contains(strings.extracting(slot.range))
    case .integer: missing.contains(Double(slot.payload))
    case .number: missing.contains(Double(bitPattern: UInt64(bitPattern: slot.payload)))
    case .missing, .fileText, .boolean, .list, .structure: false
    }
  }

  private static func slot(_ value: njson_value) -> FieldSlot {
    switch value.kind {
    case NJSON_TEXT where value.length > 0:
      FieldSlot(kind: .scratchText, payload: Int64(value.offset), count: value.length)
    case NJSON_INTEGER: FieldSlot(kind: .integer, payload: value.integer)
    case NJSON_NUMBER: FieldSlot(kind: .number, payload: Int64(bitPattern: value.number.bitPattern))
    case NJSON_BOOLEAN: FieldSlot(kind: .boolean, payload: value.integer)
    // An empty list counts as missing, like an empty text.
    case NJSON_LIST where value.length > 0:
      FieldSlot(kind: .list, payload: Int64(value.offset), count: value.length)
    case NJSON_STRUCTURE: FieldSlot(kind: .structure)
    default: FieldSlot()
    }
  }

  private func badValueMessage(path: Int) -> String {
    fields.indices.contains(path)
      ? "the field '\(fields[path])' is not a Firestore value such as {\"stringValue\": \"x\"}"
      : "the record must be a Firestore document with 'name' and 'fields', or a query result with a document"
  }
}

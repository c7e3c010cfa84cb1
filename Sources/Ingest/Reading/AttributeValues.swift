internal import Columns
internal import PipelineFile
internal import Readers
internal import RunSchemas
internal import Text

/// One value of an attribute.
package enum AttributeValue: Sendable {
  case text([UInt8]?)
  case number(Double)
  case flag(Bool)
  /// A set of texts; empty if the value is missing.
  case tags([[UInt8]])
  /// A date in milliseconds since 1970 UTC; `nil` if it is missing.
  case date(Int64?)
  /// Non-empty intervals in milliseconds since 1970 UTC; an empty array if the value is missing.
  case intervals([Range<Int64>])
}

/// The values of one attribute, in columns indexed by row. Values of rejected rows are removed, so memory
/// grows only with the valid rows of an export.
package struct AttributeValues: Sendable {
  let type: AttributeType
  // Only the properties for the attribute's type are in use. An enum with arrays as payloads would be slower,
  // because each change would copy an array.
  private(set) var numbers: [Double] = []
  private(set) var flags: [UInt8] = []
  /// Dates in milliseconds since 1970 UTC; `Int64.min` if missing.
  private(set) var instants: [Int64] = []
  private(set) var intervals: [[Range<Int64>]] = []
  /// Categories: numbers in `vocabulary`, or `CategoryColumn.missing`.
  private(set) var codes: [UInt32] = []
  /// Tags: numbers in `vocabulary`, ascending.
  private(set) var sets: [[UInt32]] = []
  private(set) var vocabulary = IdentityTable()
  /// Texts: the range of each in `blob`; empty if missing. Replaced texts stay in `blob`.
  private(set) var ranges: [Range<Int>] = []
  private(set) var blob: [UInt8] = []

  init(_ type: AttributeType) { self.type = type }

  /// The number of rows.
  var count: Int {
    switch type {
    case .number: numbers.count
    case .flag: flags.count
    case .category: codes.count
    case .text: ranges.count
    case .tags: sets.count
    case .date: instants.count
    case .intervals: intervals.count
    }
  }

  /// Reserves memory for this number of rows, but not for texts.
  mutating func reserve(_ count: Int) {
    switch type {
    case .number: numbers.reserveCapacity(count)
    case .flag: flags.reserveCapacity(count)
    case .category: codes.reserveCapacity(count)
    case .text: ranges.reserveCapacity(count)
    case .tags: sets.reserveCapacity(count)
    case .date: instants.reserveCapacity(count)
    case .intervals: intervals.reserveCapacity(count)
    }
  }

  /// The value of `row`, which must exist.
  package subscript(_ row: Int) -> AttributeValue {
    switch type {
    case .number: .number(numbers[row])
    case .flag: .flag(flags[row] != 0)
    case .category: .text(codes[row] == CategoryColumn.missing ? nil : vocabulary[Int(codes[row])])
    case .text: .text(ranges[row].isEmpty ? nil : Array(blob[ranges[row]]))
    case .tags: .tags(sets[row].map { vocabulary[Int($0)] })
    case .date: .date(instants[row] == .min ? nil : instants[row])
    case .intervals: .intervals(intervals[row])
    }
  }

  /// Sets the value of `row`, an existing row or the next new row. `value` must have this attribute's type.
  mutating func set(_ value: AttributeValue, of row: Int) {
    switch (type, value) {
    case (.number, .number(let number)): numbers.set(number, at: row)
    case (.flag, .flag(let flag)): flags.set(flag ? 1 : 0, at: row)
    case (.category, .text(let text)):
      codes.set(text.map { UInt32(vocabulary.insert($0.span)) } ?? CategoryColumn.missing, at: row)
    case (.text, .text(let text)):
      let start = blob.count
      blob += text ?? []
      ranges.set(start..<blob.count, at: row)
    case (.tags, .tags(let tags)):
      sets.set(Set(tags.map { UInt32(vocabulary.insert($0.span)) }).sorted(), at: row)
    case (.date, .date(let instant)): instants.set(instant ?? .min, at: row)
    case (.intervals, .intervals(let spans)): intervals.set(spans, at: row)
    default: preconditionFailure("the value does not have the type \(type)")
    }
  }
}

extension AttributeValues {
  /// Appends the value of a field.
  ///
  /// - Throws: The fault of the value. Nothing is appended in that case.
  mutating func append(_ field: FieldValue, as attribute: Pipeline.Attribute) throws(RowRejected) {
    if attribute.isRequired && field.isMissing { throw field.rejected(.missingAttribute, attribute.from) }
    switch type {
    case .category:
      // With `names`, a canonical name replaces the word of the export, so the word needs no check.
      if attribute.names == nil { try field.checkWord(attribute.from) }
      let code = try field.withText(attribute.from) { word in
        guard let names = attribute.names else { return UInt32(vocabulary.insert(word)) }
        let name = names.name(of: String(decoding: Array(copying: word), as: UTF8.self))
        return name.map { UInt32(vocabulary.insert(Array($0.utf8).span)) } ?? CategoryColumn.missing
      }
      if code == CategoryColumn.missing { throw field.rejected(.unknownName, attribute.from) }
      codes.append(code ?? CategoryColumn.missing)
    case .text:
      try field.checkText(attribute.from)
      let start = blob.count
      _ = try field.withText(attribute.from) { text in
        unsafe text.withUnsafeBufferPointer { unsafe blob.append(contentsOf: $0) }
      }
      ranges.append(start..<blob.count)
    case .number: numbers.append(try field.number(attribute.from) ?? .nan)
    case .flag: flags.append(try field.flag(attribute.from) ? 1 : 0)
    case .tags:
      let tags = try field.tags(attribute.from, separator: Array(attribute.separator.utf8))
      if attribute.isRequired && tags.isEmpty { throw field.rejected(.missingAttribute, attribute.from) }
      sets.append(tags.map { UInt32(vocabulary.insert($0.span)) }.sorted())
    case .date: instants.append(try field.date(attribute.from) ?? .min)
    case .intervals:
      let spans = try field.intervals(attribute)
      if attribute.isRequired && spans.isEmpty { throw field.rejected(.missingAttribute, attribute.from) }
      intervals.append(spans)
    }
  }

  /// Appends the text of a row.
  mutating func append(text: Span<UInt8>) {
    let start = blob.count
    unsafe text.withUnsafeBufferPointer { unsafe blob.append(contentsOf: $0) }
    ranges.append(start..<blob.count)
  }

  /// Appends a row with a missing value.
  mutating func appendMissing() {
    switch type {
    case .category: codes.append(CategoryColumn.missing)
    case .text: ranges.append(blob.count..<blob.count)
    case .number: numbers.append(.nan)
    case .flag: flags.append(0)
    case .tags: sets.append([])
    case .date: instants.append(.min)
    case .intervals: intervals.append([])
    }
  }

  /// Removes all rows after the first `count`. Their words stay in the vocabulary.
  mutating func truncate(to count: Int) {
    switch type {
    case .category: codes.removeLast(max(codes.count - count, 0))
    case .text:
      guard ranges.count > count else { return }
      blob.removeLast(blob.count - ranges[count].lowerBound)
      ranges.removeLast(ranges.count - count)
    case .number: numbers.removeLast(max(numbers.count - count, 0))
    case .flag: flags.removeLast(max(flags.count - count, 0))
    case .tags: sets.removeLast(max(sets.count - count, 0))
    case .date: instants.removeLast(max(instants.count - count, 0))
    case .intervals: intervals.removeLast(max(intervals.count - count, 0))
    }
  }

  /// Appends the rows of `others` in `range`. Both columns must have the same type. `words` maps the words
  /// of `others` to numbers in this vocabulary.
  mutating func append(_ others: AttributeValues, _ range: Range<Int>, _ words: inout WordNumbers) {
    switch type {
    case .number: numbers += others.numbers[range]
    case .flag: flags += others.flags[range]
    case .date: instants += others.instants[range]
    case .intervals: intervals += others.intervals[range]
    case .category:
      for code in others.codes[range] {
        codes.append(
          code == CategoryColumn.missing ? code : words.number(of: code, others.vocabulary, in: &vocabulary))
      }
    case .tags:
      for set in others.sets[range] {
        sets.append(set.map { words.number(of: $0, others.vocabulary, in: &vocabulary) }.sorted())
      }
    case .text:
      for range in others.ranges[range] {
        let start = blob.count
        blob += others.blob[range]
        ranges.append(start..<blob.count)
      }
    }
  }
}

/// Maps the words of one vocabulary to numbers in another. Each word is looked up when it first occurs.
struct WordNumbers {
  private var numbers: [UInt32]

  init(of values: AttributeValues) {
    numbers = Array(repeating: .max, count: values.vocabulary.count)
  }

  mutating func number(
    of word: UInt32, _ vocabulary: IdentityTable, in other: inout IdentityTable
  ) -> UInt32 {
    let place = Int(word)
    if numbers[place] == .max {
      let range = vocabulary.range(place)
      numbers[place] = UInt32(other.insert(vocabulary.bytes.span.extracting(range)))
    }
    return numbers[place]
  }
}

extension Array {
  /// Replaces the element at `index`, or appends `element` if `index` is the end.
  fileprivate mutating func set(_ element: Element, at index: Int) {
    if index == count { append(element) } else { self[index] = element }
  }
}

internal import Tables

/// The values of one attribute by number of the row, in columns: memory grows with what is kept of an export, and not
/// with how many rows went by.
struct AttributeValues: Sendable {
  /// One value.
  enum Value: Sendable {
    case text([UInt8]?)
    case number(Double)
    case flag(Bool)
    /// Each once; none where nothing is known.
    case tags([[UInt8]])
    /// Milliseconds since 1970 UTC.
    case date(Int64?)
  }

  let type: AttributeType
  // By type one of these is filled; an enum of arrays would be copied with every change.
  private(set) var numbers: [Double] = []
  private(set) var flags: [UInt8] = []
  /// Dates; `Int64.min` is missing.
  private(set) var instants: [Int64] = []
  /// Categories: numbers in `vocabulary`, or `CategoryColumn.missing`.
  private(set) var codes: [UInt32] = []
  /// Tags: numbers in `vocabulary`, ascending.
  private(set) var sets: [[UInt32]] = []
  private(set) var vocabulary = IdentityTable()
  /// Texts: where each lies in `blob`; a missing one is empty. What was replaced stays there.
  private(set) var ranges: [Range<Int>] = []
  private(set) var blob: [UInt8] = []

  init(_ type: AttributeType) { self.type = type }

  /// The value of `row`.
  subscript(_ row: Int) -> Value {
    switch type {
    case .number: .number(numbers[row])
    case .flag: .flag(flags[row] != 0)
    case .category: .text(codes[row] == CategoryColumn.missing ? nil : vocabulary[Int(codes[row])])
    case .text: .text(ranges[row].isEmpty ? nil : Array(blob[ranges[row]]))
    case .tags: .tags(sets[row].map { vocabulary[Int($0)] })
    case .date: .date(instants[row] == .min ? nil : instants[row])
    }
  }

  /// Makes `value`, of this attribute's type, that of `row`: a known row, or the next one.
  mutating func set(_ value: Value, of row: Int) {
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
    default: preconditionFailure("a value of another type than \(type)")
    }
  }
}

extension Array {
  /// Replaces an element, or appends one behind the last.
  fileprivate mutating func set(_ element: Element, at index: Int) {
    if index == count { append(element) } else { self[index] = element }
  }
}

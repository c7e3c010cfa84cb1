/// CSV as bytes (RFC 4180, LF at the end of rows), appended field by field.
package struct CSVText: Sendable {
  package private(set) var bytes: [UInt8] = []
  private var isAtRowStart = true

  package init() {}

  /// Appends a field, quoted where its content needs it.
  package mutating func append(_ field: Span<UInt8>) {
    separate()
    var needsQuotes = false
    for index in field.indices {
      switch field[index] {
      case UInt8(ascii: ","), UInt8(ascii: "\""), 0x0A, 0x0D: needsQuotes = true
      default: continue
      }
    }
    guard needsQuotes else {
      for index in field.indices { bytes.append(field[index]) }
      return
    }
    bytes.append(UInt8(ascii: "\""))
    for index in field.indices {
      if field[index] == UInt8(ascii: "\"") { bytes.append(UInt8(ascii: "\"")) }
      bytes.append(field[index])
    }
    bytes.append(UInt8(ascii: "\""))
  }

  package mutating func append(_ field: String) {
    append(Array(field.utf8).span)
  }

  package mutating func endRow() {
    bytes.append(0x0A)
    isAtRowStart = true
  }

  /// Appends a whole row.
  package mutating func append(row fields: [String]) {
    for field in fields { append(field) }
    endRow()
  }

  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    isAtRowStart = true
  }

  private mutating func separate() {
    if !isAtRowStart { bytes.append(UInt8(ascii: ",")) }
    isAtRowStart = false
  }
}

/// A line of CSV that `CSVText` wrote: no line end stands inside of a field, as those are escaped.
package struct CSVLine {
  package let bytes: [UInt8]
  /// Where the fields stand, quotes included: a text that `CSVText` wrote is one text alone, so fields are compared so.
  package let fields: [Range<Int>]

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var fields: [Range<Int>] = []
    var (start, isQuoted) = (0, false)
    for (index, byte) in bytes.enumerated() {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      guard byte == UInt8(ascii: ","), !isQuoted else { continue }
      fields.append(start..<index)
      start = index + 1
    }
    fields.append(start..<bytes.count)
    self.fields = fields
  }

  package subscript(_ field: Int) -> ArraySlice<UInt8> {
    field < fields.count ? bytes[fields[field]] : []
  }

  /// `text` as a field.
  package static func field(_ text: [UInt8]) -> [UInt8] {
    var csv = CSVText()
    csv.append(text: text.span)
    return csv.bytes
  }
}

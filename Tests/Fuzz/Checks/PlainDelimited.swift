/// A row of a delimited file, read by a simple scanner.
package struct PlainRow: Equatable, Sendable {
  /// The line on which the row starts. The first line is 1.
  package var line: Int
  package var fields: [[UInt8]]
  package var range: Range<Int>
  /// `unclosed LINE` or `followed LINE` if a quoted field is invalid. LINE is the line of the
  /// opening quote.
  package var fault: String?

  package init(line: Int, fields: [[UInt8]], range: Range<Int>, fault: String? = nil) {
    self.line = line
    self.fields = fields
    self.range = range
    self.fault = fault
  }
}

/// Implements the grammar of `DelimitedScanner` one byte at a time. Returns the rows from byte
/// `start`.
package func plainRows(
  _ bytes: [UInt8], from start: Int = 0, delimiter: UInt8 = UInt8(ascii: ","),
  quote: UInt8 = UInt8(ascii: "\"")
) -> [PlainRow] {
  func isEnd(_ index: Int) -> Bool { bytes[index] == 10 || bytes[index] == 13 }
  var lines = [1]
  for index in bytes.indices {
    let isPairBegin = bytes[index] == 13 && index + 1 < bytes.count && bytes[index + 1] == 10
    lines.append(lines[index] + (isEnd(index) && !isPairBegin ? 1 : 0))
  }
  func behindEnd(_ index: Int) -> Int {
    bytes[index] == 13 && index + 1 < bytes.count && bytes[index + 1] == 10 ? index + 2 : index + 1
  }
  var rows: [PlainRow] = []
  var index = start
  rows: while index < bytes.count {
    if isEnd(index) {
      index = behindEnd(index)
      continue
    }
    let start = index
    var fields: [[UInt8]] = []
    fields: while true {
      var field: [UInt8] = []
      if index < bytes.count, bytes[index] == quote {
        let opening = index
        var fault: String? = "unclosed \(lines[opening])"
        index += 1
        while index < bytes.count {
          if bytes[index] != quote {
            field.append(bytes[index])
            index += 1
          } else if index + 1 < bytes.count, bytes[index + 1] == quote {
            field.append(quote)
            index += 2
          } else {
            index += 1
            let isGood = index == bytes.count || isEnd(index) || bytes[index] == delimiter
            fault = isGood ? nil : "followed \(lines[opening])"
            break
          }
        }
        if let fault {
          index = opening
          while index < bytes.count, !isEnd(index) { index += 1 }
          rows.append(PlainRow(line: lines[start], fields: fields, range: start..<index, fault: fault))
          if index < bytes.count { index = behindEnd(index) }
          continue rows
        }
      } else {
        while index < bytes.count, bytes[index] != delimiter, !isEnd(index) {
          field.append(bytes[index])
          index += 1
        }
      }
      fields.append(field)
      if index < bytes.count, bytes[index] == delimiter {
        index += 1
      } else {
        break fields
      }
    }
    rows.append(PlainRow(line: lines[start], fields: fields, range: start..<index, fault: nil))
    if index < bytes.count { index = behindEnd(index) }
  }
  return rows
}

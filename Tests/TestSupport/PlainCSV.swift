/// The rows of a CSV text by RFC 4180, read character by character: slow, obvious, and nobody else's code.
public func plainCSV(_ bytes: [UInt8]) -> [[[UInt8]]] {
  var rows: [[[UInt8]]] = []
  var row: [[UInt8]] = []
  var field: [UInt8] = []
  var isQuoted = false
  var index = 0
  while index < bytes.count {
    let byte = bytes[index]
    if isQuoted {
      if byte != UInt8(ascii: "\"") {
        field.append(byte)
      } else if index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "\"") {
        field.append(byte)
        index += 1
      } else {
        isQuoted = false
      }
    } else if byte == UInt8(ascii: "\"") {
      isQuoted = true
    } else if byte == UInt8(ascii: ",") {
      row.append(field)
      field = []
    } else if byte == UInt8(ascii: "\n") {
      rows.append(row + [field])
      row = []
      field = []
    } else {
      field.append(byte)
    }
    index += 1
  }
  if !row.isEmpty || !field.isEmpty { rows.append(row + [field]) }
  return rows
}

/// The same as text.
public func plainCSVText(_ bytes: [UInt8]) -> [[String]] {
  plainCSV(bytes).map { $0.map { String(decoding: $0, as: UTF8.self) } }
}

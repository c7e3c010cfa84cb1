/// A slow, simple, independent CSV parser: the rows of a text by RFC 4180, read character by character.
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

/// The same rows as text, for a CSV file that Nightjar writes for people: without its guards against spreadsheets and
/// terminals.
public func plainCSVText(_ bytes: [UInt8]) -> [[String]] {
  plainCSV(bytes).map { $0.map { unguarded(String(decoding: $0, as: UTF8.self)) } }
}

/// A field without its leading apostrophe and with `\u001b` decoded: a slow, simple, independent implementation.
public func unguarded(_ field: String) -> String {
  var rest = Array(field.unicodeScalars)[...]
  if rest.first == "'" { rest = rest.dropFirst() }
  var text = String.UnicodeScalarView()
  while let scalar = rest.first {
    let digits = rest.dropFirst(2).prefix(4)
    let hexadecimal = digits.allSatisfy { $0.isASCII && $0.properties.isASCIIHexDigit } && digits.count == 4
    if scalar == "\\", rest.dropFirst().first == "u", hexadecimal,
      let code = UInt32(String(String.UnicodeScalarView(digits)), radix: 16),
      let escaped = Unicode.Scalar(code)
    {
      text.append(escaped)
      rest = rest.dropFirst(6)
    } else {
      text.append(scalar)
      rest = rest.dropFirst()
    }
  }
  return String(text)
}

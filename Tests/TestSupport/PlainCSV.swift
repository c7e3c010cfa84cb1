/// A slow, simple and independent CSV parser. It reads the rows of a text by RFC 4180, character by
/// character.
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

/// Returns the rows as text. The guards against spreadsheets and terminals, which Nightjar writes
/// in files for people, are removed.
public func plainCSVText(_ bytes: [UInt8]) -> [[String]] {
  plainCSV(bytes).map { $0.map { unguarded(String(decoding: $0, as: UTF8.self)) } }
}

/// Removes the leading apostrophe of a field and decodes escapes such as `\u001b`. This is a slow,
/// simple and independent implementation.
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

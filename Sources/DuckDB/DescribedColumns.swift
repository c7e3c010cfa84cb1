/// The columns of a source, and the SQL expressions of values nested in them.
struct DescribedColumns {
  /// The names and types of the columns, in order.
  private(set) var columns: [(name: String, type: String)] = []

  /// Parses `csv`, which has one row for each column: the name and the type of the column, both in quotes.
  init(_ csv: [UInt8]) {
    let quote = UInt8(ascii: "\"")
    var fields: [String] = []
    var index = 0
    while index < csv.count {
      // The loop skips commas and line ends, which are the only bytes between fields.
      guard csv[index] == quote else {
        index += 1
        continue
      }
      index += 1
      var field: [UInt8] = []
      while index < csv.count {
        if csv[index] == quote {
          index += 1
          guard index < csv.count, csv[index] == quote else { break }
        }
        field.append(csv[index])
        index += 1
      }
      fields.append(String(decoding: field, as: UTF8.self))
    }
    for row in 0..<fields.count / 2 { columns.append((fields[2 * row], fields[2 * row + 1])) }
  }

  /// Returns the SQL expression of the requested `field` in a table `source`; `nil` if the field does not
  /// exist. With a `separator`, the expression joins the elements of a list to a text.
  func expression(of field: String, separator: String? = nil) -> String? {
    guard let (expression, type) = typedExpression(of: field) else { return nil }
    guard let separator, type.hasSuffix("]") else { return expression }
    return "array_to_string(\(expression)::VARCHAR[], \(SQL.literal(separator)))"
  }

  private func typedExpression(of field: String) -> (sql: String, type: String)? {
    // Bytes are compared, because `==` treats different encodings of an accent as equal.
    func isSame(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
    if let column = columns.first(where: { isSame($0.name, field) }) {
      return ("source." + SQL.identifier(column.name), column.type)
    }
    guard let keys = Self.keys(of: field), let first = keys.first,
      let column = columns.first(where: { isSame($0.name, first) })
    else { return nil }
    var expression = "source." + SQL.identifier(column.name)
    var type = column.type
    for key in keys.dropFirst() {
      guard let found = StructType(type)?.fields.first(where: { isSame($0.key, key) }) else { return nil }
      expression = "struct_extract(\(expression), \(SQL.literal(found.key)))"
      type = found.type
    }
    return (expression, type)
  }

  /// Returns the dot-separated keys of `field`; `nil` if the field is not a path.
  private static func keys(of field: String) -> [String]? {
    var keys: [[UInt8]] = [[]]
    var isEscaped = false
    for byte in field.utf8 {
      if isEscaped {
        guard byte == UInt8(ascii: ".") || byte == UInt8(ascii: "\\") else { return nil }
        keys[keys.count - 1].append(byte)
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: ".") {
        keys.append([])
      } else {
        keys[keys.count - 1].append(byte)
      }
    }
    guard !isEscaped, !keys.contains([]) else { return nil }
    return keys.map { String(decoding: $0, as: UTF8.self) }
  }
}

internal import Text

/// The bucket of a geohash cell: a JSON document that counts the people or things in the cell.
///
/// For example: `{"entities":3,"latitude":53.35,"longitude":-6.26,"counts":{"size":{"large":1,"small":2}}}`.
/// `latitude` and `longitude` are the center of the cell in degrees. `counts` contains the number of people
/// or things for each word of the published categories.
package enum BucketDocument {
  /// Removes one person or thing from the bucket of a cell.
  ///
  /// - Parameters:
  ///   - bucket: The bucket before the removal.
  ///   - attributes: The published attributes of the removed person or thing, as a JSON object; `nil` if none
  ///     are published.
  /// - Returns: The bucket with the new counts, without words whose count became 0; `nil` if the cell is now
  ///   empty.
  /// - Throws: `Flaw` if `bucket` or `attributes` does not have the expected form.
  package static func leaving(
    _ bucket: [UInt8], attributes: [UInt8]?
  ) throws(ListDocument.Flaw) -> [UInt8]? {
    do throws(JSONScanner.Flaw) {
      let words = try texts(of: attributes ?? Array("{}".utf8))
      var edits: [(place: Range<Int>, text: [UInt8])] = []
      var left = 0
      var scanner = JSONScanner(bucket)
      try scanner.object { (key, scanner) throws(JSONScanner.Flaw) in
        switch String(decoding: key, as: UTF8.self) {
        case "entities":
          let place = try scanner.value()
          left = (Int(String(decoding: bucket[place], as: UTF8.self)) ?? 1) - 1
          edits.append((place, Array(String(left).utf8)))
        case "counts":
          try scanner.object { (category, scanner) throws(JSONScanner.Flaw) in
            if let edit = try counts(&scanner, bucket, without: words[category]) { edits.append(edit) }
          }
        default: _ = try scanner.value()
        }
      }
      guard left > 0 else { return nil }
      var text: [UInt8] = []
      var end = 0
      for edit in edits {
        text += bucket[end..<edit.place.lowerBound] + edit.text
        end = edit.place.upperBound
      }
      return text + bucket[end...]
    } catch {
      throw ListDocument.Flaw()
    }
  }

  /// Subtracts one from the count of `word` in one category. Returns the new JSON object, and the range of
  /// the old object in `bucket`; `nil` if `word` has no count.
  private static func counts(
    _ scanner: inout JSONScanner, _ bucket: [UInt8], without word: [UInt8]?
  ) throws(JSONScanner.Flaw) -> (place: Range<Int>, text: [UInt8])? {
    _ = scanner.next()
    let start = scanner.index
    var parts: [[UInt8]] = []
    var isChanged = false
    try scanner.object { (name, scanner) throws(JSONScanner.Flaw) in
      let place = try scanner.value()
      var count = Int(String(decoding: bucket[place], as: UTF8.self)) ?? 0
      if name == word {
        count -= 1
        isChanged = true
      }
      if count > 0 { parts.append(JSONText.quoted(name) + [UInt8(ascii: ":")] + Array(String(count).utf8)) }
    }
    guard isChanged else { return nil }
    return (
      start..<scanner.index, Array("{".utf8) + parts.joined(separator: [UInt8(ascii: ",")]) + Array("}".utf8)
    )
  }

  /// Returns the members of a JSON object that have string values; empty for any other JSON value.
  private static func texts(of attributes: [UInt8]) throws(JSONScanner.Flaw) -> [[UInt8]: [UInt8]] {
    var words: [[UInt8]: [UInt8]] = [:]
    var scanner = JSONScanner(attributes)
    guard scanner.next() == UInt8(ascii: "{") else { return words }
    try scanner.object { (key, scanner) throws(JSONScanner.Flaw) in
      if scanner.next() == UInt8(ascii: "\"") {
        words[key] = try scanner.string()
      } else {
        _ = try scanner.value()
      }
    }
    return words
  }
}

/// The JSON document of one user's list, as it stands in the files of a run and in stores:
/// `{"user":"u17","recommendations":[{"rank":1,"candidate":"u9",...}],"shortfall":null}`.
///
/// One code takes candidates from it wherever it stands, so that what a store serves stays what its run holds.
package struct ListDocument {
  /// The document is not one of a list.
  package struct Flaw: Error, CustomStringConvertible {
    package var description: String { "a list's document is not JSON of its form" }
  }

  private struct Entry {
    var place: Range<Int>
    var rank: Range<Int>?
    var candidate: [UInt8]?
  }

  private let text: [UInt8]
  private var entries: [Entry] = []
  private var shortfallPlace: Range<Int>?

  /// Finds the candidates in `text`.
  ///
  /// - Throws: `Flaw` where it is no JSON. What is no list, and members that lists do not have, stay as they are.
  package init(_ text: [UInt8]) throws(Flaw) {
    self.text = text
    do throws(JSONScanner.Flaw) {
      var scanner = JSONScanner(text)
      var entries: [Entry] = []
      var shortfall: Range<Int>?
      // JSON of another form is nobody's list.
      guard scanner.next() == UInt8(ascii: "{") else { return }
      try scanner.object { (key, scanner) throws(JSONScanner.Flaw) in
        switch String(decoding: key, as: UTF8.self) {
        case "recommendations" where scanner.next() == UInt8(ascii: "["):
          try scanner.array { (scanner) throws(JSONScanner.Flaw) in
            entries.append(try Self.entry(&scanner))
          }
        case "shortfall": shortfall = try scanner.value()
        default: _ = try scanner.value()
        }
      }
      self.entries = entries
      shortfallPlace = shortfall
    } catch {
      throw Flaw()
    }
  }

  private static func entry(_ scanner: inout JSONScanner) throws(JSONScanner.Flaw) -> Entry {
    guard scanner.next() == UInt8(ascii: "{") else { return Entry(place: try scanner.value()) }
    var entry = Entry(place: scanner.index..<scanner.index)
    try scanner.object { (key, scanner) throws(JSONScanner.Flaw) in
      switch String(decoding: key, as: UTF8.self) {
      case "rank": entry.rank = try scanner.value()
      case "candidate" where scanner.next() == UInt8(ascii: "\""): entry.candidate = try scanner.string()
      default: _ = try scanner.value()
      }
    }
    entry.place = entry.place.lowerBound..<scanner.index
    return entry
  }

  /// Whoever stands on the list, in its order.
  package var candidates: [[UInt8]] { entries.compactMap(\.candidate) }

  /// Why the list is short; `nil` of a list that is full.
  package var shortfall: String? {
    guard let place = shortfallPlace, text[place].first == UInt8(ascii: "\"") else { return nil }
    return String(decoding: text[place].dropFirst().dropLast(), as: UTF8.self)
  }

  /// The document without some candidates.
  ///
  /// Ranks close up. A list that was full says that nobody is left: that is true, and tells of nobody. Every other byte
  /// stays as it was.
  ///
  /// - Parameter isErased: Whether a candidate goes.
  /// - Returns: The text, and how many went; `nil` where none of them stands on it.
  package func removing(where isErased: ([UInt8]) -> Bool) -> (text: [UInt8], removed: Int)? {
    let goes = entries.map { $0.candidate.map(isErased) ?? false }
    guard let first = entries.first, let last = entries.last, goes.contains(true) else { return nil }
    var bytes = Array(text[..<first.place.lowerBound])
    var (kept, removed) = (0, 0)
    for (number, entry) in entries.enumerated() {
      if goes[number] {
        removed += 1
        continue
      }
      if kept > 0 { bytes += text[entries[number - 1].place.upperBound..<entry.place.lowerBound] }
      kept += 1
      append(entry, less: removed, to: &bytes)
    }
    if let shortfall = shortfallPlace, text[shortfall].elementsEqual("null".utf8) {
      // It may stand before the recommendations in a document that is not of our making.
      if shortfall.lowerBound >= last.place.upperBound {
        bytes += text[last.place.upperBound..<shortfall.lowerBound]
        bytes += Self.noneLeft
        bytes += text[shortfall.upperBound...]
      } else {
        bytes.replaceSubrange(shortfall, with: Self.noneLeft)
        bytes += text[last.place.upperBound...]
      }
    } else {
      bytes += text[last.place.upperBound...]
    }
    return (bytes, removed)
  }

  private static let noneLeft = Array("\"none_left\"".utf8)

  private func append(_ entry: Entry, less removed: Int, to bytes: inout [UInt8]) {
    guard let place = entry.rank, let rank = Int(String(decoding: text[place], as: UTF8.self)) else {
      bytes += text[entry.place]
      return
    }
    bytes += text[entry.place.lowerBound..<place.lowerBound]
    bytes += String(rank - removed).utf8
    bytes += text[place.upperBound..<entry.place.upperBound]
  }
}

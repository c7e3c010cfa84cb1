/// The JSON document of one user's list, in the files of a run and in stores:
/// `{"user":"u17","recommendations":[{"rank":1,"candidate":"u9",...}],"shortfall":null}`.
///
/// In a ranking with `per`, the document contains all lists of the user by word:
/// `{"user":"u17","lists":{"plumbing":{"recommendations":[...],"shortfall":null}}}`.
///
/// Erasures in runs and in stores share this code, so that the documents in a store stay identical to the
/// documents of the published run.
package struct ListDocument {
  /// The error for a document that is not JSON, or does not have the expected form.
  package struct Flaw: Error, CustomStringConvertible {
    package var description: String { "a document does not have the expected JSON form" }
  }

  private struct ListEntry {
    var place: Range<Int>
    var rank: Range<Int>?
    var candidate: [UInt8]?
  }

  /// The entries of one list, and the place of its shortfall in the text.
  private struct Section {
    var entries: [ListEntry] = []
    var shortfall: Range<Int>?
    /// Whether the section has a member `recommendations` or `shortfall`.
    var isList = false
  }

  private let text: [UInt8]
  private var sections: [Section] = []

  /// Parses the entries and shortfalls of the lists in `text`.
  ///
  /// - Throws: `Flaw` if the text begins with `{` but is not valid JSON. A text that begins differently has
  ///   no candidates.
  package init(_ text: [UInt8]) throws(Flaw) {
    self.text = text
    do throws(JSONScanner.Flaw) {
      var scanner = JSONScanner(text)
      var sections: [Section] = []
      guard scanner.next() == UInt8(ascii: "{") else { return }
      var only = Section()
      try scanner.object { (key, scanner) throws(JSONScanner.Flaw) in
        guard key.elementsEqual("lists".utf8), scanner.next() == UInt8(ascii: "{") else {
          return try Self.read(key, &scanner, into: &only)
        }
        try scanner.object { (_, scanner) throws(JSONScanner.Flaw) in
          guard scanner.next() == UInt8(ascii: "{") else {
            _ = try scanner.value()
            return
          }
          var section = Section(isList: true)
          try scanner.object { (key, scanner) throws(JSONScanner.Flaw) in
            try Self.read(key, &scanner, into: &section)
          }
          sections.append(section)
        }
      }
      guard scanner.next() == nil else { throw JSONScanner.Flaw(offset: scanner.index) }
      self.sections = only.isList ? [only] + sections : sections
    } catch {
      throw Flaw()
    }
  }

  /// Parses one member of a list into `section`.
  private static func read(
    _ key: [UInt8], _ scanner: inout JSONScanner, into section: inout Section
  ) throws(JSONScanner.Flaw) {
    switch String(decoding: key, as: UTF8.self) {
    case "recommendations" where scanner.next() == UInt8(ascii: "["):
      section.isList = true
      var entries = section.entries
      try scanner.array { (scanner) throws(JSONScanner.Flaw) in entries.append(try entry(&scanner)) }
      section.entries = entries
    case "shortfall":
      section.isList = true
      section.shortfall = try scanner.value()
    default: _ = try scanner.value()
    }
  }

  private static func entry(_ scanner: inout JSONScanner) throws(JSONScanner.Flaw) -> ListEntry {
    guard scanner.next() == UInt8(ascii: "{") else { return ListEntry(place: try scanner.value()) }
    var entry = ListEntry(place: scanner.index..<scanner.index)
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

  /// The candidates of all lists, in order.
  package var candidates: [[UInt8]] { sections.flatMap { $0.entries.compactMap(\.candidate) } }

  /// The reason why each list is short; `nil` for a full list.
  package var shortfalls: [String?] {
    sections.map { section in
      guard let place = section.shortfall, text[place].first == UInt8(ascii: "\"") else { return nil }
      return String(decoding: text[place].dropFirst().dropLast(), as: UTF8.self)
    }
  }

  /// A document after the removal of some candidates.
  package struct Edited {
    package var text: [UInt8]
    /// The number of removed candidates.
    package var removed: Int
    /// The number of lists that were full and are now short.
    package var shortened: Int
  }

  /// Removes candidates from the document.
  ///
  /// The remaining ranks are renumbered. If a full list loses a candidate, the list gets the shortfall
  /// `none_left`, which reveals nothing about the candidate. Every other byte is unchanged.
  ///
  /// - Parameter isErased: Returns whether to remove a candidate.
  /// - Returns: The edited document; `nil` if no candidate is removed.
  package func removing(where isErased: ([UInt8]) -> Bool) -> Edited? {
    var edits: [(place: Range<Int>, text: [UInt8])] = []
    var (removed, shortened) = (0, 0)
    for section in sections {
      let goes = section.entries.map { $0.candidate.map(isErased) ?? false }
      guard let first = section.entries.first, let last = section.entries.last, goes.contains(true) else {
        continue
      }
      edits.append((first.place.lowerBound..<last.place.upperBound, remaining(of: section, without: goes)))
      removed += goes.count { $0 }
      if let place = section.shortfall, text[place].elementsEqual("null".utf8) {
        shortened += 1
        edits.append((place, Self.noneLeft))
      }
    }
    if removed == 0 { return nil }
    var bytes: [UInt8] = []
    var end = 0
    // In a document from another writer, the shortfall may precede the recommendations.
    for edit in edits.sorted(by: { $0.place.lowerBound < $1.place.lowerBound }) {
      bytes += text[end..<edit.place.lowerBound]
      bytes += edit.text
      end = edit.place.upperBound
    }
    return Edited(text: bytes + text[end...], removed: removed, shortened: shortened)
  }

  /// Returns the remaining entries of a list, with the text between them.
  private func remaining(of section: Section, without goes: [Bool]) -> [UInt8] {
    var bytes: [UInt8] = []
    var (kept, removed) = (0, 0)
    for (number, entry) in section.entries.enumerated() {
      if goes[number] {
        removed += 1
        continue
      }
      if kept > 0 { bytes += text[section.entries[number - 1].place.upperBound..<entry.place.lowerBound] }
      kept += 1
      append(entry, less: removed, to: &bytes)
    }
    return bytes
  }

  private static let noneLeft = Array("\"none_left\"".utf8)

  private func append(_ entry: ListEntry, less removed: Int, to bytes: inout [UInt8]) {
    guard let place = entry.rank, let rank = Int(String(decoding: text[place], as: UTF8.self)) else {
      bytes += text[entry.place]
      return
    }
    bytes += text[entry.place.lowerBound..<place.lowerBound]
    bytes += String(rank - removed).utf8
    bytes += text[place.upperBound..<entry.place.upperBound]
  }
}

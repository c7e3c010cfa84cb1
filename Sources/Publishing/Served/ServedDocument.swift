internal import Foundation
internal import Text

/// The document that a store serves to one user for one ranking: a list, or one list per word.
struct ServedDocument: Decodable {
  /// The lists in byte order of their words. A ranking without `per` has a single list without a word.
  private let lists: [(word: String?, list: ServedList)]

  private enum CodingKeys: String, CodingKey { case lists }

  init(_ document: [UInt8]) throws {
    self = try JSONDecoder().decode(ServedDocument.self, from: Data(document))
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard let byWord = try container.decodeIfPresent([String: ServedList].self, forKey: .lists) else {
      lists = [(nil, try ServedList(from: decoder))]
      return
    }
    lists = byWord.map { ($0.key, $0.value) }.sorted {
      ($0.0 ?? "").utf8.lexicographicallyPrecedes(($1.0 ?? "").utf8)
    }
  }

  /// Returns the lines of a table with a header and the entries of all lists, or only of the list for `word`.
  /// For a ranking with `per`, the first column contains the word. Shown fields have the order of `names`.
  ///
  /// - Parameters:
  ///   - top: The maximum number of entries of each list; `nil` for all.
  ///   - word: The only word to show; `nil` for all.
  ///   - names: The names of the shown fields, in the order in which they are shown.
  ///   - width: The width of the terminal in columns; `nil` for lines of any length.
  /// - Returns: The lines; `nil` if the document has no list for the word.
  func lines(top: Int?, word: String?, showing names: [String], width: Int?) -> [String]? {
    let chosen = chosen(word)
    if chosen.isEmpty { return word == nil ? ["  no list for any word"] : nil }
    let hasWords = chosen.contains { $0.word != nil }
    var table = TextTable(
      (hasWords ? [.left] : []) + ServedList.alignments,
      header: (hasWords ? ["word"] : []) + ServedList.header, cutsTexts: false)
    for (word, list) in chosen {
      list.append(to: &table, after: word.map { [$0] } ?? [], top: top, showing: names)
    }
    let ending = hasWords ? nil : chosen[0].list.ending(after: top ?? .max)
    return (table.isEmpty ? [] : table.lines(indent: 2, width: width)) + (ending.map { ["  " + $0] } ?? [])
  }

  /// Returns a document as one line of JSON, with only the list for `word` and at most `top` entries of each
  /// list.
  ///
  /// If `top` or `word` is given, the keys are in byte order. Otherwise, the line is the unchanged document.
  ///
  /// - Parameters:
  ///   - document: The stored document.
  ///   - top: The maximum number of entries of each list; `nil` for all.
  ///   - word: The only word to show; `nil` for all.
  /// - Returns: The line; `nil` if the document has no list for the word.
  /// - Throws: An error of the JSON decoder if the document is not JSON.
  static func json(_ document: [UInt8], top: Int?, word: String?) throws -> String? {
    if top == nil, word == nil { return String(decoding: document, as: UTF8.self) }
    var value = try JSONDecoder().decode(JSONValue.self, from: Data(document))
    if let lists = value["lists"] {
      var members = value.members
      var chosen: [String: JSONValue] = [:]
      for (key, list) in lists.members where word.map({ key.utf8.elementsEqual($0.utf8) }) ?? true {
        chosen[key] = list.limited(to: top)
      }
      if chosen.isEmpty, word != nil { return nil }
      members["lists"] = .object(chosen)
      value = .object(members)
    } else {
      if word != nil { return nil }
      value = value.limited(to: top)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  /// Appends one row per entry of all lists, or only of the list for `word`. Each row begins with the name of
  /// the ranking and the word.
  func append(to text: inout CSVText, ranking: String, top: Int?, word: String?, showing names: [String]) {
    for (word, list) in chosen(word) {
      list.append(to: &text, after: [ranking, word ?? ""], top: top, showing: names)
    }
  }

  private func chosen(_ word: String?) -> [(word: String?, list: ServedList)] {
    lists.filter { word == nil || $0.word.map { Array($0.utf8) } == word.map { Array($0.utf8) } }
  }
}

extension JSONValue {
  /// Returns the list with at most `top` recommendations, or with all if `top` is `nil`.
  fileprivate func limited(to top: Int?) -> JSONValue {
    guard let top, let entries = self["recommendations"]?.elements else { return self }
    var list = members
    list["recommendations"] = .array(Array(entries.prefix(top)))
    return .object(list)
  }
}

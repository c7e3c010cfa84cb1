internal import Foundation
internal import Text

/// What a store serves to one user for one ranking: a list, or a list for each word.
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

  /// The lines of all lists, each after its word, or only of the list for `word`. Shown fields have the order
  /// of `names`. `nil` if there is no list for the word.
  func lines(top: Int?, word: String?, showing names: [String]) -> [String]? {
    let chosen = lists.filter { word == nil || $0.word.map { Array($0.utf8) } == word.map { Array($0.utf8) } }
    if chosen.isEmpty { return word == nil ? ["  no word has a list"] : nil }
    return chosen.flatMap { word, list in
      (word.map { ["  " + ShownText.encoded($0)] } ?? []) + list.lines(top: top, showing: names)
    }
  }
}

internal import Columns
internal import PipelineFile
internal import RunSchemas
internal import Search
internal import Text

/// The words for which a ranking with `per` makes lists, and the words of each candidate. The key `per` names
/// a category or a tags attribute.
struct CandidateWords: Sendable {
  private let vocabulary: StringColumn
  /// For a category, the index of each candidate's word; `count` for a candidate without a word. Empty for
  /// tags.
  let numbers: [Int]
  /// The tags of each candidate; `nil` for a category.
  private let tags: TagColumn?
  /// The words that users ask for; `nil` if all users have lists for all words. `numbers` maps the code of
  /// each word to its index among the candidates' words; `nil` for a word that no candidate has.
  private let asked: (tags: TagColumn, numbers: [UInt32?])?

  /// Reads the words from the attribute that `per` names.
  ///
  /// - Returns: The words, or `nil` if the ranking has no `per`. In that case, each user has one list.
  init?(_ ranking: Pipeline.Ranking, _ candidates: EntityTable, users: EntityTable) {
    guard let name = ranking.per else { return nil }
    let category = candidates.categories[name]
    tags = candidates.tags[name]
    guard let words = category?.vocabulary ?? tags?.vocabulary else {
      preconditionFailure("the snapshot lacks '\(name)', the 'per' attribute of '\(ranking.name)'")
    }
    vocabulary = words
    numbers = category?.codes.elements.map { $0 == CategoryColumn.missing ? words.count : Int($0) } ?? []
    asked = ranking.asked.map { name in
      guard let asked = users.tags[name] else {
        preconditionFailure("the snapshot lacks '\(name)', the 'asked' attribute of '\(ranking.name)'")
      }
      let numbers = (0..<asked.vocabulary.count).map { code in
        words.row(of: Array(copying: asked.vocabulary.bytes(code))).map { UInt32($0) }
      }
      return (asked, numbers)
    }
  }

  /// Whether all users have lists for the same words, and every candidate has at most one word.
  var isOneEach: Bool { tags == nil && asked == nil }

  /// The candidates, grouped by word. Only a category has groups, because tags can put a candidate into
  /// several groups.
  var groups: ListGroups { ListGroups(count: count, numbers: numbers) }

  /// The number of words that candidates have.
  var count: Int { vocabulary.count }

  /// Returns the number of lists of the user at row `user`.
  func count(of user: Int) -> Int { asked?.tags.range(user).count ?? count }

  /// The names of the lists, which are words.
  var names: StringColumn { asked?.tags.vocabulary ?? vocabulary }

  /// Returns the index in `names` of the word for the list `list` of the user at row `user`.
  func name(of list: Int, ofUser user: Int) -> Int {
    guard let asked else { return list }
    return Int(asked.tags.codes[asked.tags.range(user).lowerBound + list])
  }

  /// Returns the words of the lists of the user at row `user`.
  func of(user: Int) -> WordsOfUser {
    guard let asked else { return WordsOfUser(words: self, places: nil) }
    var places: [UInt32: Int] = [:]
    for (list, index) in asked.tags.range(user).enumerated() {
      if let number = asked.numbers[Int(asked.tags.codes[index])] { places[number] = list }
    }
    return WordsOfUser(words: self, places: places)
  }

  /// Calls `body` with the number of each word that `candidate` has.
  fileprivate func forEach(of candidate: Int, _ body: (UInt32) -> Void) {
    guard let tags else {
      if numbers[candidate] < count { body(UInt32(numbers[candidate])) }
      return
    }
    for index in tags.range(candidate) { body(tags.codes[index]) }
  }
}

/// The words of one user's lists.
struct WordsOfUser {
  fileprivate let words: CandidateWords
  /// The index of the user's list for each word, by number of the word; `nil` if the user has a list for
  /// every word.
  fileprivate let places: [UInt32: Int]?

  /// Calls `body` with the index of each list of the user whose word `candidate` has.
  ///
  /// - Returns: The number of these lists.
  func forEachList(of candidate: Int, _ body: (Int) -> Void) -> Int {
    var lists = 0
    words.forEach(of: candidate) { word in
      guard let list = places.map({ $0[word] }) ?? Int(word) else { return }
      lists += 1
      body(list)
    }
    return lists
  }
}

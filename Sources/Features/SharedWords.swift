internal import Columns
internal import PipelineFile
internal import RunSchemas
internal import Text

/// Chooses which words of a category, which tags or which cells of a geohash have their own columns. All
/// other words, tags or cells share one column, such as `other`.
enum SharedWords {
  /// The name of the shared column. If the column exists, a word with this name shares it.
  static let other = "other"

  /// Returns the words that keep their columns: the `limit` most frequent words among the candidates of the
  /// learning rows. Among equally frequent words, the first words in byte order are kept.
  ///
  /// - Parameters:
  ///   - codes: The code of each candidate's word.
  ///   - words: The words, in byte order.
  ///   - learning: The learning rows.
  ///   - limit: The number of words to keep.
  /// - Returns: The words in byte order; `nil` if all words keep their columns.
  static func kept(
    _ codes: [UInt32], _ words: [String], _ learning: InteractionTable, limit: Int
  ) -> [String]? {
    guard words.count > limit else { return nil }
    return kept(rows: rows(codes, words.count, learning), words, limit: limit)
  }

  /// Returns the `limit` words with the most learning rows, in byte order; `nil` if all words keep their
  /// columns. `rows` contains the number of learning rows of each word.
  static func kept(rows: [Int], _ words: [String], limit: Int) -> [String]? {
    guard words.count > limit else { return nil }
    let own = words.indices.filter { !words[$0].utf8.elementsEqual(other.utf8) }
    return own.sorted { (rows[$1], $0) < (rows[$0], $1) }.prefix(limit).sorted().map { words[$0] }
  }

  /// Returns the number of learning rows of each code.
  static func rows(_ codes: [UInt32], _ count: Int, _ learning: InteractionTable) -> [Int] {
    var rows = [Int](repeating: 0, count: count)
    let (codes, candidates) = (codes.span, learning.candidate.span)
    for row in candidates.indices {
      let code = codes[Int(candidates[row])]
      if code != CategoryColumn.missing { rows[Int(code)] += 1 }
    }
    return rows
  }

  /// Maps each code of `words` to the code of the same word in `kept`, or to the code `kept.count`, which
  /// represents all other words. A missing code stays missing.
  static func codes(_ codes: [UInt32], _ words: [String], _ kept: [String]) -> [UInt32] {
    // Words are compared as bytes, because two words may differ only in the Unicode encoding of an accent.
    let numbers = Dictionary(
      uniqueKeysWithValues: zip(kept.map { Array($0.utf8) }, 0 as UInt32..<UInt32(kept.count)))
    let places = words.map { numbers[Array($0.utf8)] ?? UInt32(kept.count) }
    return codes.map { $0 == CategoryColumn.missing ? $0 : places[Int($0)] }
  }
}

extension FeatureBinding {
  /// Binds a feature with one word per candidate. Without a limit, the feature gets one column for each word.
  /// With a limit, it gets one column for each of the most frequent words, and one column for all other
  /// words.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - codes: The code of each candidate's word.
  ///   - words: The words, in byte order.
  ///   - limit: The largest number of words that have their own columns. `mostWords` can reduce this limit.
  ///   - other: The name of the shared column.
  ///   - isPublic: See `BoundFeature`.
  /// - Returns: The bound feature.
  func bindWords(
    of feature: some WordFeature, codes: [UInt32], _ words: [String], limit: Int = .max,
    other: String = SharedWords.other, isPublic: Bool = true
  ) -> BoundValues {
    let kept: [String]?
    if let form {
      // A word without candidates gets no column: an erasure may have removed the last candidate with this
      // word.
      let present = Set(words.map { Array($0.utf8) })
      kept = form.features[feature.formName]?.words?.filter { present.contains(Array($0.utf8)) }
    } else {
      kept = SharedWords.kept(codes, words, learning, limit: min(limit, mostWords ?? .max))
    }
    var bound: BoundValues
    if let kept {
      bound = BoundValues(
        codes: SharedWords.codes(codes, words, kept), kept + [other], isPublic: isPublic)
      bound.form.words = kept
      bound.form.sharing = words.count - kept.count
    } else {
      bound = BoundValues(codes: codes, words, isPublic: isPublic)
    }
    bound.formName = feature.formName
    bound.canShare = true
    return bound
  }

  /// Returns the largest number of words that each category and geohash can keep, so that all features
  /// together have at most `most` columns. The result is `nil` if all columns fit without a limit, or if even
  /// a limit of 1 leaves too many columns.
  ///
  /// Only words that occur in learning rows count, because a column without spread has no coefficient. A
  /// feature keeps all its words if their number is at most the limit.
  func wordsFitting(_ most: Int) -> Int? {
    let widths = features.map { feature in
      (feature.shape as? CodeShape).map { shape in
        SharedWords.rows(shape.codes, shape.words.count, learning).count { $0 > 0 }
      } ?? feature.width
    }
    guard widths.reduce(0, +) > most else { return nil }
    func columns(_ limit: Int) -> Int {
      widths.indices.reduce(0) { sum, index in
        let width = widths[index]
        return sum + (canShare.contains(index) && width > limit ? limit + 1 : width)
      }
    }
    let limit = (0..<most).partitioningIndex { columns($0 + 1) > most }
    return limit == 0 ? nil : limit
  }
}

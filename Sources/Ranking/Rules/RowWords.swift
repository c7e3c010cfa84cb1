internal import Columns
internal import RunSchemas
internal import Text

/// The words of each row as codes, ascending: the tags of a row, or the word of a category.
struct RowWords: Sendable {
  private let vocabulary: StringColumn
  /// The codes of row r are `codes[offsets[r]..<offsets[r + 1]]`.
  private let offsets: [UInt64]
  private let codes: [UInt32]

  /// Reads the words of the attribute `name`.
  ///
  /// - Returns: The words, or `nil` if `table` has neither a category nor tags of this name.
  init?(_ name: String, of table: EntityTable) {
    if let tags = table.tags[name] {
      vocabulary = tags.vocabulary
      offsets = tags.offsets.elements
      codes = tags.codes.elements
    } else if let category = table.categories[name] {
      vocabulary = category.vocabulary
      var offsets: [UInt64] = [0]
      var codes: [UInt32] = []
      for code in category.codes.elements {
        if code != CategoryColumn.missing { codes.append(code) }
        offsets.append(UInt64(codes.count))
      }
      self.offsets = offsets
      self.codes = codes
    } else {
      return nil
    }
  }

  subscript(_ row: Int) -> ArraySlice<UInt32> { codes[Int(offsets[row])..<Int(offsets[row + 1])] }

  /// Returns, for each code, the code of the same word in `other`; `nil` for a word that `other` lacks. Words
  /// are compared byte for byte. Both vocabularies are in byte order, so ascending codes stay ascending.
  func codes(in other: RowWords) -> [UInt32?] {
    (0..<vocabulary.count).map { code in
      other.vocabulary.row(of: Array(copying: vocabulary.bytes(code))).map { UInt32($0) }
    }
  }

  /// Returns the number of codes in `others` that are also codes of `row`. `others` must be ascending.
  func shared(_ others: [UInt32], by row: Int) -> Int {
    let end = Int(offsets[row + 1])
    var place = Int(offsets[row])
    var count = 0
    for other in others {
      while place < end, codes[place] < other { place += 1 }
      if place == end { break }
      if codes[place] == other { count += 1 }
    }
    return count
  }
}

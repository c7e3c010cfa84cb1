internal import Columns
internal import RunSchemas
internal import Text

/// The words of each row as codes, ascending: of tags as many as there are, of a category one at most.
struct RowWords: Sendable {
  private let vocabulary: StringColumn
  /// The codes of row r are `codes[offsets[r]..<offsets[r + 1]]`.
  private let offsets: [UInt64]
  private let codes: [UInt32]

  /// - Returns: `nil` where `table` has no category and no tags of this name.
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

  /// By code: the code of the same word, byte for byte, in `other`; `nil` where it is not there. Both vocabularies are in
  /// byte order, so that ascending codes stay ascending.
  func codes(in other: RowWords) -> [UInt32?] {
    (0..<vocabulary.count).map { code in
      other.vocabulary.row(of: Array(copying: vocabulary.bytes(code))).map { UInt32($0) }
    }
  }

  /// How many of `others`, ascending, are words of `row`.
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

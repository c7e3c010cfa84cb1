internal import Foundation
internal import Text

/// Words that only erased people had. Metrics and columns that are named after these words are removed, too.
struct LostWords {
  /// Words of categories, including words in people's earlier versions.
  var words: [[UInt8]] = []
  /// The names of model columns that are removed because of these words.
  var columns: [[UInt8]] = []

  /// Returns whether `name` names a slice or a group of people with one of the words. The name of a group
  /// contains a word of each of its categories.
  fileprivate func isOfPeople(_ name: String) -> Bool {
    let parts = name.components(separatedBy: ", ").map { Array($0.utf8) }
    return words.contains { $0 == Array(name.utf8) || parts.contains($0) }
  }

  /// Returns whether `name` names a column for one of the words.
  fileprivate func isOfColumn(_ name: String) -> Bool {
    let name = Array(name.utf8)
    return columns.contains(name)
      || words.contains { word in
        name.count > word.count && name.suffix(word.count).elementsEqual(word)
          && name[name.count - word.count - 1] == UInt8(ascii: "=")
      }
  }
}

extension JSONValue {
  /// Returns the value without the array elements whose slice, group or column is named after a lost word.
  func without(_ lost: LostWords) -> JSONValue {
    switch self {
    case .array(let elements):
      return .array(
        elements.filter { element in
          let people = ["slice", "group"].compactMap { element[$0]?.stringValue }
          return !people.contains(where: lost.isOfPeople)
            && element["column"]?.stringValue.map(lost.isOfColumn) != true
        }.map { $0.without(lost) })
    case .object(let members): return .object(members.mapValues { $0.without(lost) })
    default: return self
    }
  }

  /// Returns the counts of a stage with `numbers` added to the member `erased`.
  func adding(erased: [String: Int]) -> JSONValue {
    let before = self["erased"]?.members ?? [:]
    let sums = before.merging(erased.mapValues { .integer($0) }) { old, new in
      .integer((old.integerValue ?? 0) + (new.integerValue ?? 0))
    }
    return .object(members.merging(["erased": .object(sums)]) { _, new in new })
  }
}

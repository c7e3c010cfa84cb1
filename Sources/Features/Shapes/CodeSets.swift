internal import Columns
internal import RunSchemas

/// One set of codes per row, such as tags. The codes of a set are ascending and distinct.
package struct CodeSets: Sendable {
  /// The codes of row r are `codes[offsets[r]..<offsets[r + 1]]`.
  package let offsets: [UInt64]
  package let codes: [UInt32]

  package init(offsets: [UInt64], codes: [UInt32]) {
    self.offsets = offsets
    self.codes = codes
  }

  /// Creates the sets of a column. `code` maps each code to a new code; it must map different codes to
  /// different codes.
  init(_ column: TagColumn, _ code: (UInt32) -> UInt32 = { $0 }) {
    offsets = column.offsets.elements
    let found = column.codes.elements
    var codes: [UInt32] = []
    codes.reserveCapacity(found.count)
    for row in 0..<column.count { codes += found[column.range(row)].map(code).sorted() }
    self.codes = codes
  }

  package subscript(row: Int) -> ArraySlice<UInt32> {
    codes[Int(offsets[row])..<Int(offsets[row + 1])]
  }

  /// Returns the Jaccard index of two sets: the size of the intersection divided by the size of the union.
  /// The result is between 0 and 1. It is NaN if a set is empty, because an empty set means a missing value.
  ///
  /// Source: Jaccard 1912, doi:10.1111/j.1469-8137.1912.tb05611.x.
  package static func overlap(_ left: ArraySlice<UInt32>, _ right: ArraySlice<UInt32>) -> Double {
    guard !left.isEmpty, !right.isEmpty else { return .nan }
    var (i, j, common) = (left.startIndex, right.startIndex, 0)
    while i < left.endIndex, j < right.endIndex {
      if left[i] == right[j] {
        common += 1
        i += 1
        j += 1
      } else if left[i] < right[j] {
        i += 1
      } else {
        j += 1
      }
    }
    return Double(common) / Double(left.count + right.count - common)
  }
}

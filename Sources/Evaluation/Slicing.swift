internal import Columns

/// A division of users or candidates into groups, which are called slices. Each row is in at most one slice.
struct Slicing: Sendable {
  /// The slicing's name, such as `learning_interactions` or a category.
  let name: String
  /// The names of the slices, in display order.
  let slices: [String]
  /// The index of each row's slice; `nil` if the row is in no slice.
  let sliceOfRow: [Int?]
}

extension Slicing {
  /// Slices rows by a number of interactions, such as the learning interactions of each user.
  init(_ name: String, _ counts: [Int]) {
    self.name = name
    slices = ["0", "1-4", "5-19", "20+"]
    sliceOfRow = counts.map { $0 == 0 ? 0 : $0 < 5 ? 1 : $0 < 20 ? 2 : 3 }
  }

  /// Slices users into quartiles by the number of candidates in reach; `nil` if there are no users or
  /// all numbers are equal.
  init?(inReach counts: [Int]) {
    let sorted = counts.sorted()
    guard let first = sorted.first, let last = sorted.last, first < last else { return nil }
    // Equal counts stay together, so the result may have fewer than four slices.
    let limits = Set([1, 2, 3].map { sorted[(sorted.count - 1) * $0 / 4] }).subtracting([last]).sorted()
    name = "candidates_in_reach"
    let bounds = [first] + limits.map { $0 + 1 }
    let ends = limits + [last]
    slices = zip(bounds, ends).map { $0 >= $1 ? "\($1)" : "\($0)-\($1)" }
    sliceOfRow = counts.map { count in limits.firstIndex { count <= $0 } ?? limits.count }
  }

  /// The largest number of slices of a category.
  static let mostSlices = 24

  /// Slices rows by the values of a category, most frequent first. If the category has more than 24 values,
  /// the rarest values share one slice. Rows without a value form a separate slice.
  init(_ category: String, _ column: CategoryColumn) {
    let codes = column.codes.elements
    let words = column.vocabulary.strings
    name = category
    var counts = [Int](repeating: 0, count: words.count)
    for code in codes where code != CategoryColumn.missing { counts[Int(code)] += 1 }
    let order = counts.indices.sorted { (-counts[$0], $0) < (-counts[$1], $1) }
    var place = [Int](repeating: 0, count: words.count)
    let shown = words.count > Self.mostSlices ? Self.mostSlices - 1 : words.count
    for (index, code) in order.enumerated() { place[code] = min(index, shown) }
    let others = words.count > shown ? ["(other)"] : []
    slices = order.prefix(shown).map { words[$0] } + others + ["(missing)"]
    let missing = shown + others.count
    sliceOfRow = codes.map { $0 == CategoryColumn.missing ? missing : place[Int($0)] }
  }

  /// Slices rows by their age at the cut: under 30 days, or older. A row without a creation time is in no
  /// slice.
  init(created: [Int64], asOf: [Int64]) {
    name = "account"
    slices = ["new (under 30 days)", "old"]
    sliceOfRow = zip(created, asOf).map { created, asOf in
      // A missing time is stored as the smallest number.
      created == .min ? nil : created > asOf - 30 * 86_400_000 ? 0 : 1
    }
  }
}

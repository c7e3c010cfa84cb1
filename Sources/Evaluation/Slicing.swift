internal import Columns

/// A division of users into slices: each user is in one slice, or in none.
struct Slicing: Sendable {
  /// As in `learning_interactions`, or a category of users.
  let name: String
  /// The names of the slices in their order.
  let slices: [String]
  /// By user: the index of the slice, or `nil`.
  let sliceOfUser: [Int?]
}

extension Slicing {
  /// By how many interactions users learn from.
  init(learning counts: [Int]) {
    name = "learning_interactions"
    slices = ["0", "1-4", "5-19", "20+"]
    sliceOfUser = counts.map { $0 == 0 ? 0 : $0 < 5 ? 1 : $0 < 20 ? 2 : 3 }
  }

  /// By quarters of users from the emptiest to the most crowded places: how many candidates are in reach.
  init?(inReach counts: [Int]) {
    let sorted = counts.sorted()
    guard let first = sorted.first, let last = sorted.last, first < last else { return nil }
    // Equal counts stay together, so there may be fewer than four.
    let limits = Set([1, 2, 3].map { sorted[(sorted.count - 1) * $0 / 4] }).subtracting([last]).sorted()
    name = "candidates_in_reach"
    let bounds = [first] + limits.map { $0 + 1 }
    let ends = limits + [last]
    slices = zip(bounds, ends).map { $0 >= $1 ? "\($1)" : "\($0)-\($1)" }
    sliceOfUser = counts.map { count in limits.firstIndex { count <= $0 } ?? limits.count }
  }

  /// The largest number of a category's values that get a slice.
  static let mostSlices = 24

  /// By the values of a category, most frequent first; the rarest are one slice beyond 24 values.
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
    sliceOfUser = codes.map { $0 == CategoryColumn.missing ? missing : place[Int($0)] }
  }

  /// By how long before the cut users were created: 30 days or more.
  init(created: [Int64], asOf: [Int64]) {
    name = "account"
    slices = ["new (under 30 days)", "old"]
    sliceOfUser = zip(created, asOf).map { created, asOf in
      // Missing times are the smallest number.
      created == .min ? nil : created > asOf - 30 * 86_400_000 ? 0 : 1
    }
  }
}

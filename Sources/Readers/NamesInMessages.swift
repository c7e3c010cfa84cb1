/// Returns a list of names for messages: the first `limit` names, each shortened.
package func listed(_ names: [String], limit: Int = 40) -> String {
  let more = names.count > limit ? ", and \(names.count - limit) more" : ""
  return names.prefix(limit).map(shown).joined(separator: ", ") + more
}

/// Returns the first 60 characters of a name from a file, and an ellipsis if the name is longer. If the file
/// is not a table, a name can be megabytes long.
///
/// Control characters stay, because the code that prints a message escapes them.
package func shown(_ name: String) -> String {
  let scalars = name.unicodeScalars
  let rest = scalars.dropFirst(60)
  return String(scalars[..<rest.startIndex]) + (rest.isEmpty ? "" : "…")
}

/// Returns `; did you mean 'x'?` with the most similar name, for the end of a message; an empty text if no
/// name is similar.
package func suggestion(for name: String, among names: [String]) -> String {
  guard let nearest = nearestName(to: name, among: names) else { return "" }
  return "; did you mean '\(shown(nearest))'?"
}

/// Returns ` (did you mean 'x'?)` with the most similar name, for the middle of a message; an empty text if
/// no name is similar.
func inlineSuggestion(for name: String, among names: [String]) -> String {
  guard let nearest = nearestName(to: name, among: names) else { return "" }
  return " (did you mean '\(shown(nearest))'?)"
}

/// Returns the name most similar to `name`; `nil` if no name is similar.
///
/// Names are similar if they differ by at most one edit per three characters; one edit is always allowed.
/// Letter case is ignored. Among equally similar names, the first is returned. Names longer than 64
/// characters are not considered.
///
/// - Complexity: O(n · m²) for n names of m characters.
package func nearestName(to name: String, among names: [String]) -> String? {
  let wanted = Array(name.lowercased())
  guard wanted.count <= 64 else { return nil }
  var best: (distance: Int, name: String)?
  for candidate in names {
    let letters = Array(candidate.lowercased())
    guard letters.count <= 64 else { continue }
    let distance = editDistance(wanted, letters)
    if distance <= max(1, wanted.count / 3), distance < best?.distance ?? .max {
      best = (distance, candidate)
    }
  }
  return best?.name
}

/// Returns the optimal string alignment distance: the minimum number of insertions, deletions, replacements
/// and swaps of neighbors that turn `a` into `b`, if no part is edited twice.
func editDistance<Element: Equatable>(_ a: [Element], _ b: [Element]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
    row.reserveCapacity(b.count + 1)
    for j in b.indices {
      var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[j - 1] + 1) }
      row.append(cost)
    }
    (beforeLast, last) = (last, row)
  }
  return last[b.count]
}

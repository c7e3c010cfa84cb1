/// Names that a file holds, as a message lists them: the first of them, each as `shown` shows it.
package func listed(_ names: [String], limit: Int = 40) -> String {
  let more = names.count > limit ? ", and \(names.count - limit) more" : ""
  return names.prefix(limit).map(shown).joined(separator: ", ") + more
}

/// The first 60 characters of a name that a file holds: what is no table at all can have names of megabytes.
///
/// Who prints a message takes care of the terminal.
package func shown(_ name: String) -> String {
  let scalars = name.unicodeScalars
  let rest = scalars.dropFirst(60)
  return String(scalars[..<rest.startIndex]) + (rest.isEmpty ? "" : "…")
}

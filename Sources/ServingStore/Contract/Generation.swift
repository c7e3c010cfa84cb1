/// The result of a publication.
package struct PublishedGeneration: Hashable, Sendable {
  /// The generation's number. A pipeline's first generation has the number 1. Each later generation has the
  /// next number, even after generations are dropped.
  package var number: Int
  /// The number of the pipeline's generations that the store now contains, including the new one.
  package var kept: Int
  package var tables: GenerationTables
}

/// One generation in a store.
package struct GenerationSummary: Hashable, Sendable {
  package var number: Int
  /// The number of the run that made the lists.
  package var run: Int
  /// The as-of time of the run, in milliseconds since 1970 UTC.
  package var asOf: Int64
  /// Whether the store serves this generation to readers.
  package var isServed: Bool
  package var note = GenerationNote()
  package var tables: GenerationTables
}

/// A match from the perspective of one side.
package struct ServedMatch: Hashable, Sendable {
  package var other: StoredID
  /// The time of the match, as in the matches file; `nil` if the time is unknown.
  package var matchedAt: String?

  package init(other: StoredID, matchedAt: String?) {
    self.other = other
    self.matchedAt = matchedAt
  }
}

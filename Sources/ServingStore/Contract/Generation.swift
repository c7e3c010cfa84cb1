/// What a publish has put in place.
package struct PublishedGeneration: Hashable, Sendable {
  /// The generation's number: 1 for a pipeline's first, then one more each time, whatever has been dropped.
  package var number: Int
  /// How many generations of the pipeline the store holds now, this one included.
  package var kept: Int
  package var tables: GenerationTables
}

/// One generation that a store holds.
package struct GenerationSummary: Hashable, Sendable {
  package var number: Int
  /// The run that made the lists.
  package var run: Int
  /// The as-of time of that run, in milliseconds since 1970 UTC.
  package var asOf: Int64
  /// Whether readers see this one.
  package var isServed: Bool
  package var note = GenerationNote()
  package var tables: GenerationTables
}

/// The other side of a match.
package struct ServedMatch: Hashable, Sendable {
  package var other: StoredID
  /// When it came about, in the text of the matches file; nil if that was empty.
  package var matchedAt: String?

  package init(other: StoredID, matchedAt: String?) {
    self.other = other
    self.matchedAt = matchedAt
  }
}

/// The format in which a command prints its result.
package enum ResultFormat: Hashable, Sendable {
  /// Human-readable text, in lines of at most `width` columns. If the result does not go to a terminal,
  /// `width` is `nil` and lines are not wrapped.
  case text(width: Int?)
  /// JSON: one document, or one object per line.
  case json
  /// Comma-separated values with a header.
  case csv
}

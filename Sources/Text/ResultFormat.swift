/// How a command prints its result.
package enum ResultFormat: Hashable, Sendable {
  /// Text for people. Lines are wrapped at `width` columns; `nil` if the result does not go to a terminal.
  case text(width: Int?)
  /// JSON: one document, or one object per line.
  case json
  /// Comma-separated values with a header.
  case csv
}

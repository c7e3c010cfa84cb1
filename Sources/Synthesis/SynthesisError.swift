/// Sizes of a synthetic export that do not go together.
package struct SynthesisError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The argument that is concerned.
  package var argument: String
  /// The rule that was broken and what was found; for people.
  package var reason: String

  package var description: String { "\(argument) \(reason)." }
}

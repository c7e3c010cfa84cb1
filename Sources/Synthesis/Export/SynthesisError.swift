/// The error for a size of a synthetic export that is out of its range. The range may depend on other sizes.
package struct SynthesisError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the size on the command line, such as `users`.
  package var argument: String
  /// The second part of the message for users: the rule and the actual value.
  package var reason: String

  package var description: String { "--\(argument) \(reason)." }

  /// Checks that `value` is in `range`, which may depend on the number of `users`.
  static func check(
    _ argument: String, _ value: Int, in range: ClosedRange<Int>, forUsers users: Int? = nil
  ) throws(SynthesisError) {
    guard !range.contains(value) else { return }
    let condition = users.map { " for \($0) users" } ?? ""
    throw SynthesisError(
      argument: argument,
      reason: "must be \(range.lowerBound) to \(range.upperBound)\(condition), not \(value)")
  }
}

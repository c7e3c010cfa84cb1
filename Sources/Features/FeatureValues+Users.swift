// What features compare candidates with.

extension FeatureValues {
  /// The user's code, of `same`.
  package func code(ofUser user: Int) -> UInt32 {
    guard case .same(let users, _) = self else { preconditionFailure("users have no code of it") }
    return users[user]
  }

  /// The user's number, of a `difference`.
  package func number(ofUser user: Int) -> Double {
    guard case .difference(let users, _, _) = self else { preconditionFailure("users have no number of it") }
    return users[user]
  }

  /// Whether the user's set is empty, of an `overlap`.
  package func hasNoSet(ofUser user: Int) -> Bool {
    guard case .overlap(let users, _) = self else { preconditionFailure("users have no set of it") }
    return users[user].isEmpty
  }
}

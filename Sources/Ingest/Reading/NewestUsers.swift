/// The newest rows of different users, to detect an export that is old or truncated.
///
/// If one account is deleted, all its rows disappear, and the newest row of a source may be older
/// than in the last complete run. If the newest rows of several accounts disappear at once, the export is
/// probably old or truncated.
struct NewestUsers: Sendable {
  /// The number of users. A complete export fails the check only in a rare case. In this case, the four
  /// accounts with the newest rows are deleted in one day, and no other account gets a newer row.
  static let count = 4

  /// The newest row of each of at most `count` users, newest first.
  private var rows: [(user: UInt64, at: Int64)] = []

  /// A row up to this time, in milliseconds since 1970 UTC, does not change `rows`.
  private(set) var threshold = Int64.min

  /// Adds a row of `user` with a time in milliseconds since 1970 UTC.
  @inline(__always)
  mutating func add(_ user: UInt64, at: Int64) {
    if at > threshold { insert(user, at) }
  }

  private mutating func insert(_ user: UInt64, _ at: Int64) {
    if let known = rows.firstIndex(where: { $0.user == user }) {
      guard rows[known].at < at else { return }
      rows.remove(at: known)
    } else if rows.count == Self.count {
      rows.removeLast()
    }
    rows.insert((user, at), at: rows.firstIndex { $0.at < at } ?? rows.count)
    if rows.count == Self.count { threshold = rows[Self.count - 1].at }
  }

  /// The time of the newest row; `nil` if there are no rows.
  var newest: Int64? { rows.first?.at }

  /// The time of the newest row of the last user in `rows`; `nil` if `rows` has fewer than `count` users.
  var ofLastUser: Int64? { rows.count == Self.count ? threshold : nil }
}

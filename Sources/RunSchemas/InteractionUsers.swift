internal import Columns
internal import Concurrency

/// By interaction: the row of its user.
///
/// In no file, as offsets tell the same in far fewer bytes. It is worked out when it is first asked for, and shared by all who ask.
package final class InteractionUsers: Sendable {
  private let offsets: Column<UInt64>
  private let count: Int
  private let known = Guarded<[UInt32]?>(nil)

  /// - Parameters:
  ///   - offsets: The interactions of user `u` are `offsets[u]..<offsets[u + 1]`.
  ///   - count: How many interactions there are.
  init(_ offsets: Column<UInt64>, count: Int) {
    self.offsets = offsets
    self.count = count
  }

  /// All of them, four bytes each. For a loop, take them once, outside.
  package var elements: [UInt32] {
    known.withLock { known in
      if let known { return known }
      let users = [UInt32](capacity: count) { users in
        for user in 0..<max(offsets.count - 1, 0) {
          users.append(repeating: UInt32(user), count: offsets.range(of: user).count)
        }
      }
      precondition(users.count == count, "offsets of users are of another table")
      known = users
      return users
    }
  }
}

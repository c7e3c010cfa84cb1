/// Guards that prevent a bad night from being served, for example after a truncated export or a mistyped
/// radius.
package struct PublicationGuards: Hashable, Sendable {
  /// The maximum share by which the number of lists may drop, from 0 to 1; `nil` for no limit.
  package var usersDropAtMost: Double?
  /// The smallest drop that counts, in users; at least 1.
  package var leastDrop: Int
  /// The maximum share of empty lists, from 0 to 1; `nil` for no limit.
  package var listsEmptyAtMost: Double?

  package init(usersDropAtMost: Double? = nil, leastDrop: Int = 1, listsEmptyAtMost: Double? = nil) {
    self.usersDropAtMost = usersDropAtMost
    self.leastDrop = leastDrop
    self.listsEmptyAtMost = listsEmptyAtMost
  }

  /// The number of users with a list, and the number of empty lists among them.
  package struct ListCount: Hashable, Sendable {
    package var name: String
    package var users: Int
    package var empty: Int

    package init(name: String, users: Int, empty: Int) {
      (self.name, self.users, self.empty) = (name, users, empty)
    }
  }

  /// A guard that rejects a generation.
  package struct Violation: Hashable, Sendable {
    /// The key of the guard in the pipeline file.
    package var guardName: String
    /// The problem as text.
    package var found: String

    /// Whether the guard rejects a list because it lost users.
    package var isDrop: Bool { guardName == PublicationGuards.usersDropName }
  }

  private static let usersDropName = "users_drop_at_most"

  /// The guards that the lists violate.
  ///
  /// - Parameters:
  ///   - lists: The lists to publish.
  ///   - served: The generation that is served now; `nil` if there is none.
  /// - Returns: The violations; empty if all guards pass.
  package func violations(_ lists: [ListCount], served: GenerationSummary?) -> [Violation] {
    var found: [Violation] = []
    for list in lists {
      if let limit = usersDropAtMost,
        let before = served?.tables.lists.first(where: { $0.name.utf8.elementsEqual(list.name.utf8) })?.rows,
        before - list.users >= leastDrop, Double(before - list.users) > limit * Double(before)
      {
        found.append(
          Violation(
            guardName: Self.usersDropName,
            found: "\(list.name) has \(list.users) users, but \(before) are served: "
              + "\(Self.percent(before - list.users, of: before)) fewer; the limit is \(Self.percent(limit))")
        )
      }
      if let limit = listsEmptyAtMost, Double(list.empty) > limit * Double(list.users) {
        found.append(
          Violation(
            guardName: "lists_empty_at_most",
            found: "\(list.empty) of \(list.users) lists of \(list.name) are empty: "
              + "\(Self.percent(list.empty, of: list.users)); the limit is \(Self.percent(limit))"))
      }
    }
    return found
  }

  private static func percent(_ part: Int, of whole: Int) -> String { percent(Double(part) / Double(whole)) }

  /// The share as a percentage: `12.5 %`.
  private static func percent(_ share: Double) -> String { "\((share * 1000).rounded() / 10) %" }
}

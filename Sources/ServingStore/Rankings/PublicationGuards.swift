internal import Text

/// The limits that lists must meet to be published. They stop the publication of bad lists, for example after
/// a truncated export or with a mistyped radius.
package struct PublicationGuards: Hashable, Sendable {
  /// The maximum share by which a list's number of users may drop, from 0 to 1; `nil` for no limit.
  package var usersDropAtMost: Double?
  /// The smallest drop in a list's number of users that can be a violation; at least 1. A smaller drop can be
  /// a violation if it is more than half of the users, and at least 2. A drop within `usersDropAtMost` is
  /// never a violation.
  package var leastDrop: Int
  /// The maximum share by which the number of rows of matches or a catalog may drop, from 0 to 1; `nil` for
  /// no limit.
  package var rowsDropAtMost: Double?
  /// The smallest drop in the number of rows that can be a violation; see `leastDrop`.
  package var leastRowsDrop: Int
  /// The maximum share of empty lists, from 0 to 1; `nil` for no limit.
  package var listsEmptyAtMost: Double?

  package init(
    usersDropAtMost: Double? = nil, leastDrop: Int = 1, rowsDropAtMost: Double? = nil, leastRowsDrop: Int = 1,
    listsEmptyAtMost: Double? = nil
  ) {
    self.usersDropAtMost = usersDropAtMost
    self.leastDrop = leastDrop
    self.rowsDropAtMost = rowsDropAtMost
    self.leastRowsDrop = leastRowsDrop
    self.listsEmptyAtMost = listsEmptyAtMost
  }

  /// The number of users with a list, and how many of these lists are empty.
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
    /// The reason for the rejection, as text without a period at the end.
    package var found: String

    package init(guardName: String, found: String) {
      (self.guardName, self.found) = (guardName, found)
    }

    /// Whether the violation is a drop: a list lost users, or a table of matches or a catalog lost rows.
    package var isDrop: Bool { guardName == PublicationGuards.usersDropName }
  }

  private static let usersDropName = "users_drop_at_most"

  /// Returns the violations of the guards.
  ///
  /// - Parameters:
  ///   - lists: The lists to publish.
  ///   - others: The matches and catalogs to publish, with their numbers of rows.
  ///   - served: The generation that is served now; `nil` if there is none.
  /// - Returns: The violations; empty if all guards pass.
  package func violations(
    _ lists: [ListCount], others: [NamedCount] = [], served: GenerationSummary?
  ) -> [Violation] {
    var found: [Violation] = []
    for list in lists {
      if let served, let before = Self.rows(of: list.name, in: served.tables.lists) {
        // If the served generation recorded its number of empty lists, users with an empty list are not
        // counted.
        let empty = served.note.empty?[list.name]
        let now = empty == nil ? list.users : list.users - list.empty
        found +=
          drop(list.name, from: before - (empty ?? 0), to: now, "users", usersDropAtMost, least: leastDrop)
          .map { [$0] } ?? []
      }
      // Products such as 0.29 * 100 are inexact, so quotients are compared with the limits.
      if let limit = listsEmptyAtMost, Double(list.empty) / Double(list.users) > limit {
        found.append(
          Violation(
            guardName: "lists_empty_at_most",
            found: "\(list.empty.grouped) of \(list.users.counted("list")) of \(list.name) "
              + "\(list.empty == 1 ? "is" : "are") empty: "
              + "\(Self.percent(list.empty, of: list.users)); the limit is \(Self.percent(limit))"))
      }
    }
    for other in others {
      guard let served,
        let before = Self.rows(of: other.name, in: served.tables.matches + served.tables.catalogs)
      else { continue }
      found +=
        drop(other.name, from: before, to: other.rows, "rows", rowsDropAtMost, least: leastRowsDrop)
        .map { [$0] } ?? []
    }
    return found
  }

  private static func rows(of name: String, in tables: [NamedCount]) -> Int? {
    tables.first { $0.name.utf8.elementsEqual(name.utf8) }?.rows
  }

  /// Returns the violation if a list, a table of matches or a catalog lost too many `units` since the served
  /// generation; `nil` if the drop is allowed.
  private func drop(
    _ name: String, from before: Int, to now: Int, _ units: String, _ limit: Double?, least: Int
  ) -> Violation? {
    let drop = before - now
    guard let limit, Double(drop) / Double(before) > limit, drop >= least || (drop > 1 && 2 * drop > before)
    else { return nil }
    return Violation(
      guardName: Self.usersDropName,
      found: "\(name) lost too many \(units): \(now.grouped) instead of \(before.grouped), "
        + "\(Self.percent(before - now, of: before)) fewer; the limit is \(Self.percent(limit))")
  }

  private static func percent(_ part: Int, of whole: Int) -> String { percent(Double(part) / Double(whole)) }

  /// Returns the share as a percentage, such as `12.5 %`.
  private static func percent(_ share: Double) -> String { "\((share * 1000).rounded() / 10) %" }
}

extension [PublicationGuards.Violation] {
  /// The names of the violated guards, without duplicates.
  package var guardNames: [String] {
    reduce(into: []) { names, violation in
      if !names.contains(violation.guardName) { names.append(violation.guardName) }
    }
  }
}

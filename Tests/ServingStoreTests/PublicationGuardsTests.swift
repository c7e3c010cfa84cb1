import Testing

@testable import ServingStore

/// Guards prevent a store from serving a bad generation.
struct PublicationGuardsTests {
  private func violations(
    _ guards: PublicationGuards, users: Int, empty: Int = 0, served before: Int?, list: String = "near"
  ) -> [PublicationGuards.Violation] {
    var tables = GenerationTables()
    tables.lists = [NamedCount(name: "a", rows: 999), NamedCount(name: "near", rows: before ?? 0)]
    let served = GenerationSummary(number: 1, run: 1, asOf: 0, isServed: true, tables: tables)
    return guards.violations(
      [PublicationGuards.ListCount(name: list, users: users, empty: empty)],
      served: before == nil ? nil : served)
  }

  @Test(
    arguments: [
      (100, 90, 0.1, 1, nil), (100, 71, 0.29, 1, nil), (100, 70, 0.29, 1, "30.0 % fewer"),
      (100, 89, 0.1, 1, "near lost too many users: 89 instead of 100, 11.0 % fewer; the limit is 10.0 %"),
      (100, 99, 0, 1, "1.0 % fewer; the limit is 0.0 %"), (100, 100, 0, 1, nil), (100, 200, 0, 1, nil),
      (2_000, 1_000, 0.1, 1, "near lost too many users: 1 000 instead of 2 000, 50.0 % fewer"),
      (4, 0, 0.45, 4, "near lost too many users: 0 instead of 4, 100.0 % fewer"),
      // A loss of few users counts only if it is more than half.
      (3, 0, 0.45, 4, "100.0 % fewer"), (6, 3, 0.45, 4, nil),
      (8, 4, 0.45, 4, "50.0 % fewer"), (8, 5, 0.3, 4, nil), (0, 0, 0, 1, nil),
    ] as [(Int, Int, Double, Int, String?)])
  func `a list may lose a share of its users`(
    before: Int, now: Int, limit: Double, least: Int, found: String?
  ) {
    let guards = PublicationGuards(usersDropAtMost: limit, leastDrop: least)
    let violations = violations(guards, users: now, served: before)
    #expect(violations.count == (found == nil ? 0 : 1))
    if let found {
      #expect(violations[0].found.contains(found), "\(violations[0].found)")
      #expect(violations[0].guardName == "users_drop_at_most" && violations[0].isDrop)
    }
  }

  @Test func `without a limit or a served list of the same name, no loss is found`() {
    let guards = PublicationGuards(usersDropAtMost: 0)
    #expect(violations(guards, users: 1, served: nil).isEmpty)
    #expect(violations(guards, users: 1, served: 9, list: "new").isEmpty)
    #expect(violations(PublicationGuards(), users: 0, empty: 0, served: 9).isEmpty)
  }

  @Test(
    arguments: [
      (100, 29, 0.29, nil), (10, 5, 0.5, nil),
      (10, 6, 0.5, "6 of 10 lists of near are empty: 60.0 %; the limit is 50.0 %"),
      (10, 0, 0, nil),
      (10, 1, 0, "1 of 10 lists of near is empty: 10.0 %"),
      (1, 1, 0, "1 of 1 list of near is empty: 100.0 %"),
      (2_000, 1_500, 0, "1 500 of 2 000 lists of near are empty"), (0, 0, 0, nil),
    ] as [(Int, Int, Double, String?)])
  func `a share of the lists may be empty`(users: Int, empty: Int, limit: Double, found: String?) {
    let violations = violations(
      PublicationGuards(listsEmptyAtMost: limit), users: users, empty: empty, served: nil)
    #expect(violations.count == (found == nil ? 0 : 1))
    if let found {
      #expect(violations[0].found.contains(found), "\(violations[0].found)")
      #expect(violations[0].guardName == "lists_empty_at_most" && !violations[0].isDrop)
    }
  }
}

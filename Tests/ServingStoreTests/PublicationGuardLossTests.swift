import Testing

@testable import ServingStore

@Suite struct PublicationGuardLossTests {
  @Test func `matches and catalogs that lost rows are rejected like lists`() throws {
    let note = GenerationNote(empty: ["near": 40])
    var tables = GenerationTables()
    tables.lists = [NamedCount(name: "near", rows: 100)]
    tables.matches = [NamedCount(name: "matches", rows: 50)]
    tables.catalogs = [NamedCount(name: "rooms", rows: 8)]
    let guards = PublicationGuards(usersDropAtMost: 0.5, leastDrop: 4)
    func violations(_ near: (users: Int, empty: Int), matches: Int, rooms: Int, note: GenerationNote)
      -> [String]
    {
      let served = GenerationSummary(number: 1, run: 1, asOf: 1, isServed: true, note: note, tables: tables)
      return guards.violations(
        [PublicationGuards.ListCount(name: "near", users: near.users, empty: near.empty)],
        others: [NamedCount(name: "matches", rows: matches), NamedCount(name: "rooms", rows: rooms)],
        served: served
      ).map { String($0.found.prefix { $0 != "," }) }
    }
    #expect(violations((100, 70), matches: 25, rooms: 4, note: note) == [])
    #expect(
      violations((100, 71), matches: 24, rooms: 3, note: note) == [
        "near has 29 users", "matches has 24 rows", "rooms has 3 rows",
      ])
    // Earlier versions did not record empty lists. For such a generation, only lists are compared.
    #expect(violations((50, 50), matches: 50, rooms: 8, note: GenerationNote()) == [])
    #expect(violations((49, 0), matches: 50, rooms: 8, note: GenerationNote()) == ["near has 49 users"])
  }

  /// By default, losing one user is always allowed, and a loss of up to three counts only if it is
  /// more than half.
  @Test(arguments: [
    (5, 2, true), (6, 3, false), (2, 1, false), (1, 0, false), (2, 0, true), (8, 4, true), (9, 6, false),
  ])
  func `a small loss counts if it is more than half`(before: Int, now: Int, isRefused: Bool) {
    var tables = GenerationTables()
    tables.lists = [NamedCount(name: "near", rows: before)]
    let served = GenerationSummary(number: 1, run: 1, asOf: 1, isServed: true, tables: tables)
    let found = PublicationGuards(usersDropAtMost: 0.45, leastDrop: 4).violations(
      [PublicationGuards.ListCount(name: "near", users: now, empty: 0)], served: served)
    #expect(found.isEmpty != isRefused)
  }
}

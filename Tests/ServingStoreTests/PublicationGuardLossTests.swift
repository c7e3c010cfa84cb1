import Testing

@testable import ServingStore

@Suite struct PublicationGuardLossTests {
  @Test func `matches and catalogs that lost rows are rejected like lists`() throws {
    let note = GenerationNote(empty: ["near": 40])
    var tables = GenerationTables()
    tables.lists = [NamedCount(name: "near", rows: 100)]
    tables.matches = [NamedCount(name: "matches", rows: 50)]
    tables.catalogs = [NamedCount(name: "rooms", rows: 8)]
    let guards = PublicationGuards(
      usersDropAtMost: 0.5, leastDrop: 4, rowsDropAtMost: 0.5, leastRowsDrop: 4)
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
        "near lost too many users: 29 instead of 60", "matches lost too many rows: 24 instead of 50",
        "rooms lost too many rows: 3 instead of 8",
      ])
    // Earlier versions did not record empty lists. For such a generation, only lists are compared.
    #expect(violations((50, 50), matches: 50, rooms: 8, note: GenerationNote()) == [])
    #expect(
      violations((49, 0), matches: 50, rooms: 8, note: GenerationNote()) == [
        "near lost too many users: 49 instead of 100"
      ])
  }

  /// Matches and catalogs have limits of their own.
  @Test(
    arguments: [
      (0.2, 1, 100, 79, true), (0.2, 1, 100, 80, false), (0.2, 22, 100, 79, false), (0.2, 21, 100, 79, true),
      (0.2, 9, 4, 1, true), (0.2, 9, 4, 2, false), (nil, 1, 100, 0, false),
    ] as [(Double?, Int, Int, Int, Bool)])
  func `the limits of rows differ from the limits of users`(
    limit: Double?, least: Int, before: Int, now: Int, isRefused: Bool
  ) {
    var tables = GenerationTables()
    tables.matches = [NamedCount(name: "matches", rows: before)]
    let served = GenerationSummary(number: 1, run: 1, asOf: 1, isServed: true, tables: tables)
    let guards = PublicationGuards(
      usersDropAtMost: 0.01, leastDrop: 1, rowsDropAtMost: limit, leastRowsDrop: least)
    let found = guards.violations([], others: [NamedCount(name: "matches", rows: now)], served: served)
    #expect(found.isEmpty != isRefused)
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

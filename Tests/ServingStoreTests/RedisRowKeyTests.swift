import Testing

@testable import ServingStore

/// Splits the keys of rows in Redis into their parts.
struct RedisRowKeyTests {
  private static let prefix = Array("nightjar:{p}:12:".utf8)

  private static func row(_ key: String) -> RedisRowKey? { RedisRowKey(Array(key.utf8), after: prefix) }

  @Test(arguments: [
    ("list:near:u1", TableKind.list, "near", "u1"), ("list:near:a:b", .list, "near", "a:b"),
    ("list:near:", .list, "near", ""), ("people:users:u1", .people, "users", "u1"),
    ("catalog:by_city:Berlin", .catalog, "by_city", "Berlin"),
    ("directory:by_city:Berlin", .catalog, "by_city", "Berlin"), ("positions:users", .positions, "users", ""),
    ("list:a%3Ab:u1", .list, "a:b", "u1"),
  ])
  func `kind, name and id are separated by colons, and an id may contain more of them`(
    _ key: String, _ kind: TableKind, _ name: String, _ id: String
  ) throws {
    let row = try #require(Self.row("nightjar:{p}:12:" + key))
    #expect(row.kind == kind && row.name == name && row.id == StoredID(utf8: Array(id.utf8)))
  }

  @Test(arguments: [
    "nightjar:{p}:13:list:near:u1", "nightjar:{q}:12:list:near:u1", "nightjar:{p}:12", "",
    "nightjar:{p}:12:list:near", "nightjar:{p}:12:geo:users", "nightjar:{p}:12:positions:users:u1",
  ])
  func `a key of another generation, pipeline or form is not a row`(_ key: String) {
    #expect(Self.row(key) == nil)
  }
}

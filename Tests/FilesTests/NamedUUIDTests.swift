import Testing

@testable import Files

struct NamedUUIDTests {
  /// The expected values were computed by another program from the rule: the first 32 digits of the
  /// SHA-256 of each part with its length, with the version 8 and the variant `a`.
  @Test(
    arguments: [
      (NamedUUID(of: "run", "1"), "b0625e9d-137d-8ec4-a16d-372daefbd0c3"),
      (NamedUUID(of: "é", ""), "f48aa107-ce27-8182-a70c-763fad46fd34"),
      (NamedUUID(of: "run"), "2d979753-55e2-8803-af53-a2bca89c3f71"),
    ])
  func `a name has the same UUID in every version of the program`(uuid: NamedUUID, text: String) {
    #expect(uuid.description == text)
    #expect(NamedUUID(text) == uuid)
  }

  @Test func `the border between two parts matters`() {
    #expect(NamedUUID(of: "ab", "c") != NamedUUID(of: "a", "bc"))
    #expect(NamedUUID(of: "a", "b") != NamedUUID(of: "b", "a"))
  }

  @Test(arguments: [
    "", "b0625e9d-137d-8ec4-a16d-372daefbd0c", "b0625e9d-137d-8ec4-a16d-372daefbd0c33",
    "B0625E9D-137D-8EC4-A16D-372DAEFBD0C3", "b0625e9d137d-8ec4-a16d-372daefbd0c3-",
    "b0625e9-d137d-8ec4-a16d-372daefbd0c3", "b0625e9g-137d-8ec4-a16d-372daefbd0c3",
    "b0625e9d-137d-8ec4-a16d-372daefbd0 3", "b0625e9d-137d-8ec4-a16d--372daefbd0c",
  ])
  func `other texts are not UUIDs`(text: String) {
    #expect(NamedUUID(text) == nil)
  }
}

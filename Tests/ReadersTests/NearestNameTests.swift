import Testing

@testable import Readers

@Suite struct NearestNameTests {
  @Test(arguments: [
    ("", "", 0), ("abc", "", 3), ("kitten", "sitting", 3), ("form", "from", 1), ("ca", "abc", 3),
    ("abc", "abc", 0),
  ])
  func `edits are counted`(_ a: String, _ b: String, _ edits: Int) {
    #expect(editDistance(Array(a), Array(b)) == edits)
    #expect(editDistance(Array(b), Array(a)) == edits)
  }

  @Test func `only a similar name is suggested, and case is ignored`() {
    #expect(nearestName(to: "UserID", among: ["user", "userId", "userid"]) == "userId")
    #expect(nearestName(to: "xyz", among: ["abc"]) == nil)
    #expect(nearestName(to: "a", among: []) == nil)
    // Short names may differ by one edit, and longer names by one edit per three letters.
    #expect(nearestName(to: "ab", among: ["cb"]) == "cb" && nearestName(to: "ab", among: ["cd"]) == nil)
    #expect(nearestName(to: "abcdef", among: ["abcdxy"]) == "abcdxy")
    #expect(nearestName(to: "abcdef", among: ["abcxyz"]) == nil)
    #expect(nearestName(to: "abcd", among: ["abxx", "abcx", "abcy"]) == "abcx", "the first of the nearest")
    #expect(
      nearestName(to: String(repeating: "a", count: 65), among: [String(repeating: "a", count: 65)]) == nil)
  }
}

@Suite struct ListedNamesTests {
  @Test func `a message shows the start of names`() throws {
    #expect(listed(["a", "é b"]) == "a, é b")
    #expect(listed((1...42).map { "c\($0)" }).hasSuffix("c40, and 2 more"))
    #expect(shown(String(repeating: "x", count: 60)) == String(repeating: "x", count: 60))
    #expect(shown(String(repeating: "e\u{301}", count: 40)) == String(repeating: "e\u{301}", count: 30) + "…")
    let long = "a," + String(repeating: "x", count: 10_000) + "\n"
    let reason = try #require(failure(long, .csv, ["b"])?.reason)
    #expect(reason.utf8.count < 300)
  }
}

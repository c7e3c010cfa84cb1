import Foundation
import Testing
import TestSupport
import Text

/// Compares every list of Finding Friends for the bundled exports with an independent calculation.
struct FriendsListTests {
  struct Moment: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var asOf: String
    var run: Result<FriendsRun, any Error>
    var expected: Result<FriendsBruteForce, any Error>

    init(_ description: String, _ asOf: String) {
      testDescription = description
      self.asOf = asOf
      run = Result { try FriendsRun.complete(["--as-of", asOf]) }
      expected = Result {
        try FriendsBruteForce(exports: FriendsRun.exports, asOf: #require(milliseconds(asOf)))
      }
    }

    static let newest = Moment("as of the newest check-in", FriendsRun.newestCheckIn)
    static let middle = Moment("as of a moment in the middle", "2026-11-13T12:00:00Z")
  }

  static let moments = [Moment.newest, .middle]

  @Test(arguments: moments, [("nearby", 20), ("map", 80)])
  func `the list of nearby people equals brute force`(_ moment: Moment, list: (name: String, top: Int)) throws
  {
    let expected = try moment.expected.get()
    let lines = try moment.run.get().list(list.name)
    #expect(lines.map(\.user) == expected.ids, "every user must have a list, in the order of ids")
    for line in lines {
      let near = expected.nearby(line.user, top: list.top)
      try expectEqual(line, near, top: list.top)
      for found in line.recommendations {
        let person = try #require(expected.people[found.candidate])
        let shown = try #require(found.shown)
        #expect(shown["name"] == .string(person.name))
        #expect(shown["place"] == person.place.map { .string($0) })
        #expect(shown["picture"] == person.picture.map { .string($0) })
        guard list.name == "map" else {
          #expect(shown.members.count == 3)
          continue
        }
        #expect(shown.members.count == 4)
        #expect(shown["position"]?["latitude"]?.number == person.cell?.latitude)
        #expect(shown["position"]?["longitude"]?.number == person.cell?.longitude)
      }
    }
    // The data must contain every reason for a short list, so all comparisons above have cases.
    let ends = Dictionary(grouping: lines) { $0.shortfall ?? "full" }.mapValues(\.count)
    #expect(Set(ends.keys) == ["full", "no_position", "none_in_radius"])
    #expect(ends.values.allSatisfy { $0 > 5 }, "\(ends)")
    #expect(lines.contains { $0.recommendations.isEmpty && $0.shortfall == "none_in_radius" })
  }

  @Test(arguments: moments) func `the list of nearby posts equals brute force`(_ moment: Moment) throws {
    let expected = try moment.expected.get()
    let lines = try moment.run.get().list("posts")
    #expect(lines.map(\.user) == expected.ids)
    let posts = Dictionary(uniqueKeysWithValues: expected.posts.map { ($0.id, $0) })
    var own = 0
    for line in lines {
      try expectEqual(line, expected.posts(line.user), top: 100)
      own += line.recommendations.count { posts[$0.candidate]?.author == line.user }
      for found in line.recommendations {
        let post = try #require(posts[found.candidate])
        let shown = try #require(found.shown)
        #expect(shown["text"] == post.text.map { .string($0) } ?? .null)
        #expect(shown["picture"] == post.picture.map { .string($0) } ?? .null)
        #expect(shown["owner"] == .string(post.author))
        guard case .string(let posted) = shown["posted"] else {
          Issue.record("\(found.candidate) has no posting time")
          continue
        }
        #expect(milliseconds(posted) == post.at)
      }
    }
    #expect(own == 0)
    #expect(lines.contains { $0.recommendations.count == 100 } == (moment.asOf == FriendsRun.newestCheckIn))
  }

  private func expectEqual(
    _ line: RankingsFiles.Line, _ expected: [FriendsBruteForce.Entry]?, top: Int
  ) throws {
    let entries = expected ?? []
    #expect(line.recommendations.map(\.candidate) == entries.map(\.id), "\(line.user)")
    #expect(line.recommendations.map(\.rank) == Array(1...entries.count + 1).dropLast())
    #expect(
      line.shortfall == (expected == nil ? "no_position" : entries.count < top ? "none_in_radius" : nil))
    for (found, entry) in zip(line.recommendations, entries) {
      #expect(found.score == nil && found.reasons.isEmpty)
      // Distances are rounded up to a tenth. Except for 0, no distance is within a micrometer of a
      // tenth.
      let tenths = (entry.kilometers * 10 - 1e-8).rounded(.up)
      #expect(found.kilometers == max(0, tenths) / 10, "\(entry.kilometers)")
    }
  }

  @Test(arguments: moments) func `every row is accounted for`(_ moment: Moment) throws {
    let expected = try moment.expected.get()
    let sources = try moment.run.get().sources()
    for name in ["users", "check_ins", "posts"] {
      let source = sources.object(name)
      let counts = FriendsBruteForce.Counts(
        read: source.integer("read") ?? -1, kept: source.integer("kept") ?? -1,
        merged: source.integer("merged") ?? -1, later: source.integer("later") ?? -1,
        rejected: source.byRule)
      #expect(counts == expected.counts[name], "\(name)")
    }
    #expect(sources.object("check_ins").integer("expired") == expected.expired)
    #expect(expected.expired > 50)
  }

  @Test func `the bundled exports equal the output of synthesize, and match its counts`() throws {
    let directory = try ScratchDirectory()
    let ended = try Program.run(
      "nightjar",
      ["synthesize", "--like", "finding-friends", "--users", "1500", "--seed", "42", "--out", directory.path])
    try #require(ended.ending == .status(0), "\(ended.errors)")
    let difference = try DirectoryContents(of: directory.path)
      .differences(from: DirectoryContents(of: FriendsRun.exports))
    #expect(difference == [])
    let summary = try #require(
      try JSONSerialization.jsonObject(with: Data(ended.output.utf8)) as? [String: Any])
    let counts = try Moment.newest.expected.get().counts
    for (name, planted) in [
      ("users", "usersBreaking"), ("check_ins", "checkInsBreaking"), ("posts", "postsBreaking"),
    ] {
      let rules = summary.object(planted).integers.filter { $0.key != "duplicate_id" }
      #expect(counts[name]?.rejected == rules, "\(name)")
      #expect(!rules.isEmpty)
    }
  }
}

extension JSONValue {
  /// An integer or number.
  fileprivate var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }
}

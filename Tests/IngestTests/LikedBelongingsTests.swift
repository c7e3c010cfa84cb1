import Columns
import IngestFixture
import PipelineFile
import RunSchemas
import Testing
import TestSupport
import Text

@testable import Ingest

/// A like of a post is an interaction with the post's author. Each user has at most one interaction
/// per post.
struct LikedBelongingsTests {
  private static func yaml(
    _ more: String = ", once: true", value: String = "{ from: v, map: { yes: 1, no: -1 } }"
  ) -> String {
    """
    pipeline: p
    as_of: newest
    plausible: [1, 9999]
    reject_limit: 1
    entities:
      people: { source: { path: people.csv }, id: id }
      posts: { source: { path: posts.csv }, id: id, created: t, owner: { from: by, entity: people, optional: true } }
    interactions:
      likes:
        source: { path: likes.csv }
        user: { from: a, entity: people }
        candidate: { from: post, entity: people, of: posts\(more) }
        at: t
        value: \(value)
        expect: { range: { value: [-1, 1] } }
    computed: { people: { likes: { count_of: likes } } }

    """
  }

  private static let files = [
    "people.csv": "id\na\nb\nc\nd\n",
    // A post and a person may have the same id. They are unrelated.
    "posts.csv": "id,t,by\nb,1,a\np1,1,b\np2,1,b\np3,1,\n",
  ]

  private static func night(_ likes: String, _ yaml: String = yaml(), asOf: Int64? = nil) throws -> Night {
    try Night(
      yaml, files.merging(["likes.csv": "a,post,t,v\n" + likes]) { first, _ in first },
      asOf: asOf.map { Instant(milliseconds: $0) })
  }

  /// Returns the user, candidate, time and value of each interaction.
  private static func rows(_ night: Night) throws -> [[Double]] {
    let table = try #require(try night.snapshot().interactions["likes"])
    return (0..<table.count).map {
      [Double(table.user.elements[$0]), Double(table.candidate[$0]), Double(table.at[$0]), table.value[$0]]
    }
  }

  @Test func `a like counts for the author, and a second one of the same post is merged`() throws {
    let night = try Self.night("c,p1,9,yes\nc,p1,5,no\nc,p2,7,yes\nd,p1,5,yes\nd,p1,5,no\nc,b,8,yes\n")
    #expect(try Self.rows(night) == [[2, 1, 5, -1], [2, 1, 7, 1], [2, 0, 8, 1], [3, 1, 5, 1]])
    #expect(night.accounts("likes") == [6, 4, 0, 2, 0] && night.isBalanced)
    let likes = try #require(try night.snapshot().entities["people"]?.computed["likes"])
    #expect(likes.elements == [1, 3, 0, 0])
  }

  /// Values without a map are stored as numbers, and digits below a millisecond are stored separately.
  @Test func `the first like keeps its value and the finer digits of its time`() throws {
    let yaml = Self.yaml(value: "v").replacing("[-1, 1]", with: "[-9, 9]")
    let night = try Self.night(
      "c,p1,2025-01-01T00:00:00.000002Z,7\nc,p2,2025-01-01T00:00:00.000003Z,5\n"
        + "c,b,2025-01-01T00:00:00.000002Z,6\nc,p1,2025-01-01T00:00:00.000001Z,4\nd,p1,1970-01-01,3\n", yaml)
    #expect(
      try Self.rows(night).map { [$0[0], $0[1], $0[3]] } == [[2, 1, 4], [2, 0, 6], [2, 1, 5], [3, 1, 3]])
    #expect(night.accounts("likes") == [5, 4, 0, 1, 0])
    #expect(night.counts("likes")?["newest"]?["utc"] == "2025-01-01T00:00:00Z")
  }

  @Test func `a message names the row of a kept like`() throws {
    let likes = "c,p1,9,1\nc,p1,5,1\nc,p1,7,1\nd,p2,8,1\nd,p1,8,7\n"
    let error = #expect(throws: ExpectationsViolated.self) { try Self.night(likes, Self.yaml(value: "v")) }
    let found = "values from 1.0 to 7.0, 1 outside, the first in likes.csv, line 6"
    #expect(error?.violations.map(\.found) == [found])
  }

  /// The rows of an export need not be in the order of their ids.
  @Test func `the author is found in any order of the posts`() throws {
    let files = [
      "people.csv": "id\nd\nc\nb\na\n", "posts.csv": "id,t,by\nz,1,b\nx,1,b\ny,1,a\n",
      "likes.csv": "a,post,t,v\nc,z,1,yes\nc,y,2,yes\nc,x,3,yes\nd,y,4,yes\n",
    ]
    let rows = try Self.rows(Night(Self.yaml(), files))
    #expect(rows == [[2, 1, 1, 1], [2, 0, 2, 1], [2, 1, 3, 1], [3, 0, 4, 1]])
  }

  @Test func `without the posts, their likes are not read`() throws {
    let scratch = try ScratchDirectory()
    try scratch.write("id\na\n", to: "people.csv")
    try scratch.write("a,post,t,v\n", to: "likes.csv")
    let pipeline = try Pipeline(yaml: Self.yaml(), file: scratch("p.yaml"))
    let exports = IngestedExports(pipeline, asOf: nil, clock: Night.clock) { source, _ in
      #expect(source == "posts")
    }
    #expect(exports.sources.map(\.name) == ["people"] && scratch.files.count == 2)
  }

  @Test func `without 'once', each like counts`() throws {
    let night = try Self.night("c,p1,9,yes\nc,p1,5,no\nc,p2,7,yes\n", Self.yaml(""))
    #expect(night.accounts("likes") == [3, 3, 0, 0, 0])
    #expect(try Self.rows(night).map { $0[2] } == [5, 7, 9])
  }

  @Test func `posts without an owner, unknown posts and own posts are rejected`() throws {
    let night = try Self.night(
      "a,p3,1,yes\na,p9,1,yes\nb,p1,1,yes\nz,p1,1,yes\na,p1,x,yes\na,,1,yes\na,p2,2,yes\n")
    #expect(
      try night.rejects().map { $0[3] + " " + $0[4] } == [
        "post unknown_candidate", "post unknown_candidate", "post self_interaction", "a unknown_user",
        "t bad_time",
        "post missing_id",
      ])
    #expect(night.accounts("likes") == [7, 1, 6, 0, 0])
  }

  @Test func `the earliest like stays, so that it exists as of any time`() throws {
    let likes = "c,p1,9,yes\nc,p1,5,yes\nd,p1,8,yes\n"
    #expect(try Self.rows(Self.night(likes, asOf: 6)) == [[2, 1, 5, 1]])
    #expect(try Self.night(likes, asOf: 6).accounts("likes") == [3, 1, 0, 1, 1])
    #expect(try Self.rows(Self.night(likes, asOf: 20)).count == 2)
  }

  /// Several threads read the blocks of a large export. Duplicates are found even across blocks.
  @Test func `many likes of few posts, far apart in the export, are merged`() throws {
    var likes = ""
    for turn in 0..<20_000 {
      likes += "\(turn % 2 == 0 ? "c" : "d"),p\(1 + turn % 4 / 2),\(40_000 - turn),yes\n"
    }
    let night = try Self.night(likes)
    #expect(night.accounts("likes") == [20_000, 4, 0, 19_996, 0])
    let times = try Self.rows(night).map { Int($0[2]) }
    #expect(times == [20_002, 20_004, 20_001, 20_003])
  }

  @Test(arguments: [
    (
      Self.yaml(", once: true", value: "{ from: v, map: { yes: 1, no: taken_back } }"),
      "first interaction with each of 'posts'"
    ),
    (
      Self.yaml(", once: true", value: "{ from: v, map: { yes: 1 }, latest: true }"),
      "first interaction with each of 'posts'"
    ),
    (Self.yaml().replacing(", of: posts, once", with: ", once"), "needs 'of'"),
    (Self.yaml().replacing("of: posts", with: "of: people"), "is not owned by 'people'"),
    (Self.yaml().replacing("of: posts", with: "of: post"), "'post'"),
    (Self.yaml().replacing("once: true", with: "once: 3"), "once"),
    (
      Self.yaml().replacing(
        "user: { from: a, entity: people }", with: "user: { from: a, entity: people, of: posts }"), "'of'"
    ),
  ])
  func `invalid settings are rejected`(yaml: String, words: String) throws {
    do {
      _ = try Pipeline(yaml: yaml, file: "p.yaml")
      Issue.record("the settings were accepted: \(yaml)")
    } catch {
      #expect("\(error)".contains(words), "\(error)")
    }
  }
}

import Files
import PipelineFile
import TestSupport
import Testing
import Text
import Tombstones

@testable import Erasure

/// Erasing a person removes that person's lines from the files of an evaluation.
@Suite struct EvaluationErasureTests {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  private static let users = "entities: { users: { source: { path: users.csv }, id: id } }\n"
  private static let movies = """
    entities:
      users: { source: { path: users.csv }, id: id }
      movies: { source: { path: movies.csv }, id: id }
    interactions:
      likes:
        source: { path: likes.csv }
        user: { from: u, entity: users }
        candidate: { from: m, entity: movies }
        at: t
        value: v

    """

  /// Writes an evaluation with `files` into `old`, and the evaluation without the people `ids` into `new`.
  private func erase(
    _ ids: [String], from files: [String: String], rows: [String: Int], counts: JSONValue, _ yaml: String
  ) throws -> Manifest {
    var directory = try StageDirectory("evaluation", in: scratch("old"))
    for (name, text) in files.sorted(by: { $0.key < $1.key }) {
      try directory.write(name, rows: rows[name]) { (writer) throws(FileError) in try writer.append(text) }
    }
    _ = try directory.complete(
      Manifest(
        tool: "test", stage: "evaluation", pipeline: "p", configuration: .null,
        asOf: Instant(milliseconds: 0), seed: 0, counts: counts))
    let pipeline = try Pipeline(yaml: "pipeline: p\n" + yaml, file: scratch("p.yaml"))
    var erased = ErasedIDs()
    for id in ids { erased.insert(Array(id.utf8), entity: "users") }
    try EvaluationErasure(
      pipeline: pipeline, ids: erased, lost: LostWords(words: [Array("x".utf8)], columns: [])
    )
    .write(from: scratch("old/evaluation"), into: scratch("new"))
    return try Manifest(of: scratch("new/evaluation"))
  }

  @Test func `lines of an erased user or candidate are removed`() throws {
    let files = [
      "users.csv":
        "ranking,method,user_id,ndcg\nnear,,a,0.5\nnear,,a b,0.25\na,,\"a,b\",1\nnear,a,ab,0\n",
      "scores.csv":
        "ranking,user_id,candidate_id,like,a\nnear,a,c,1,0.5\nnear,c,a b,0,0\na,c,ab,1,1\nnear,ab,c,1,a\n",
      "near.run": "a Q0 ab 1 0.5 x\nab Q0 a 1 0.5 x\nab Q0 a%20b 2 0.5 x\na%2Cb Q0 c 1 0.5 a\n",
      "near.qrels": "ab 0 a 1\nab 0 c 0\na%20b 0 c 1\ntwo fa\n\n",
      "metrics.json": "{\"slices\":[{\"slice\":\"x\",\"mean\":1},{\"slice\":\"y\",\"mean\":2}],\"mean\":3}",
    ]
    // A person's id can equal a column's name, which must stay in the header.
    let manifest = try erase(
      ["a", "a b", "user_id"], from: files, rows: ["users.csv": 4, "scores.csv": 4, "near.run": 4],
      counts: ["users": 4], Self.users)
    #expect(
      try scratch.text("new/evaluation/users.csv")
        == "ranking,method,user_id,ndcg\na,,\"a,b\",1\nnear,a,ab,0\n")
    #expect(
      try scratch.text("new/evaluation/scores.csv")
        == "ranking,user_id,candidate_id,like,a\na,c,ab,1,1\nnear,ab,c,1,a\n")
    #expect(try scratch.text("new/evaluation/near.run") == "a%2Cb Q0 c 1 0.5 a\n")
    #expect(try scratch.text("new/evaluation/near.qrels") == "ab 0 c 0\ntwo fa\n\n")
    let metrics = try scratch.text("new/evaluation/metrics.json")
    #expect(!metrics.contains("\"x\"") && metrics.contains("\"y\"") && metrics.contains("3"))
    let rows = Dictionary(uniqueKeysWithValues: manifest.outputs.map { ($0.path, $0.rows) })
    #expect(rows == ["users.csv": 2, "scores.csv": 2, "near.run": 1, "near.qrels": nil, "metrics.json": nil])
    #expect(manifest.counts["users"] == 4 && manifest.counts["erased"] == ["people": 3])
  }

  /// The person 7 is erased, and the movie 7 is not.
  @Test(arguments: [("likes", true), ("unknown", false)])
  func `a candidate of another kind with the same id stays`(kind: String, isKnown: Bool) throws {
    let files = [
      "scores.csv": "ranking,user_id,candidate_id,like\nfind,7,1,1\nfind,1,7,1\n",
      "find.run": "7 Q0 1 1 2 popular\n1 Q0 7 1 2 popular\n", "find.qrels": "7 0 1 1\n1 0 7 1\n",
    ]
    _ = try erase(
      ["7"], from: files, rows: [:], counts: ["interactions": .string(kind)], Self.movies)
    // If the pipeline file no longer has the evaluated interactions, the id is removed everywhere.
    for (name, kept) in [
      ("scores.csv", "find,1,7,1\n"), ("find.run", "1 Q0 7 1 2 popular\n"), ("find.qrels", "1 0 7 1\n"),
    ] {
      #expect(try scratch.text("new/evaluation/" + name).contains(kept) == isKnown)
      let removed = try #require(files[name]?.split(separator: "\n").dropLast().last)
      #expect(try !scratch.text("new/evaluation/" + name).contains(removed))
    }
  }

  /// TREC files encode the bytes of an id that are not printable ASCII, spaces and percent signs.
  @Test(arguments: [
    ("a%b", "a%25b"), ("!", "!"), ("~", "~"), ("\u{7F}", "%7F"), (" ", "%20"), ("é", "%C3%A9"),
    ("a\n", "a%0A"),
  ])
  func `an encoded id is found in TREC files`(id: String, encoded: String) throws {
    let others = "x Q0 y 1 0.5 m\n"
    _ = try erase(
      [id],
      from: [
        "near.run": "\(encoded) Q0 y 1 0.5 m\n" + others + "x Q0 \(encoded) 2 0.5 m\n",
        "near.qrels": "x 0 \(encoded) 1\nx 0 y 1\n",
      ], rows: [:], counts: [:], Self.users)
    #expect(try scratch.text("new/evaluation/near.run") == others)
    #expect(try scratch.text("new/evaluation/near.qrels") == "x 0 y 1\n")
  }

  @Test func `a CSV file may contain only candidates`() throws {
    _ = try erase(
      ["a"], from: ["shown.csv": "candidate_id,lists\na,1\nb,a\n"], rows: [:], counts: [:], Self.users)
    #expect(try scratch.text("new/evaluation/shown.csv") == "candidate_id,lists\nb,a\n")
  }

  @Test func `a file of an unknown kind is an error, and nothing is written`() throws {
    let error = #expect(throws: FileError.self) {
      try erase(["a"], from: ["scores.bin": "a"], rows: [:], counts: [:], Self.users)
    }
    #expect(error?.operation == .write && error?.path == scratch("old/evaluation/scores.bin"))
    #expect(error?.reason == "this version of Nightjar cannot remove people from this kind of file")
    #expect(!scratch.exists("new/evaluation"))
  }

  @Test func `a CSV file without columns of ids is an error`() throws {
    #expect(throws: FileError.self) {
      try erase(["7"], from: ["new.csv": "ranking,person\nfind,7\n"], rows: [:], counts: [:], Self.users)
    }
  }
}

/// Counts and metrics can contain words as names. A word that only erased people had is removed
/// there too.
@Suite struct LostWordsTests {
  @Test(
    arguments: [
      ("slice", "Art", false), ("slice", "Arts", true), ("slice", "Art, Rome", false),
      ("group", "Rome, Art", false), ("group", "Rome, Arts", true), ("column", "field=Art", false),
      ("column", "field=Law", true), ("column", "fieldArt", true), ("column", "Art", true),
      ("column", "=Art", false), ("column", "geohash=u28", false), ("column", "geohash=u29", true),
      ("other", "Art", true),
    ])
  func `an element that a lost word names is removed`(_ key: String, _ name: String, _ stays: Bool) {
    let lost = LostWords(words: [Array("Art".utf8)], columns: [Array("geohash=u28".utf8)])
    let elements: JSONValue = .array([[key: .string(name), "mean": 1]])
    let found = JSONValue.object(["list": elements]).without(lost)
    #expect(found == ["list": stays ? elements : .array([])])
  }

  @Test func `an element with any lost word is removed, at any depth`() {
    let lost = LostWords(words: [Array("Art".utf8), Array("Oslo".utf8)], columns: [])
    let found: JSONValue = [
      "a": ["b": .array([["slice": "Law", "group": "Art"], ["slice": "Oslo"], ["slice": "Law", "n": 1]])],
      "slice": "Art", "n": .array([1, .array([["column": "x=Oslo"], "Art"])]),
    ]
    let expected: JSONValue = [
      "a": ["b": .array([["slice": "Law", "n": 1]])], "slice": "Art", "n": .array([1, .array(["Art"])]),
    ]
    #expect(found.without(lost) == expected)
    #expect(found.without(LostWords()) == found)
  }

  @Test func `numbers of erased items are added to earlier ones`() {
    let counts: JSONValue = ["erased": ["lists": 1, "places": 2], "users": 3]
    let expected: JSONValue = ["erased": ["lists": 1, "places": 7, "matches": 4], "users": 3]
    #expect(counts.adding(erased: ["places": 5, "matches": 4]) == expected)
    let first: JSONValue = ["users": 3, "erased": ["people": 0]]
    let users: JSONValue = ["users": 3]
    #expect(users.adding(erased: ["people": 0]) == first)
  }
}

import Files
import PipelineFile
import TestSupport
import Testing
import Text
import Tombstones

@testable import Erasure

/// An erasure edits the files of lists line by line.
@Suite struct RankingsErasureTests {
  private static let yaml = """
    pipeline: p
    entities:
      users:
        source: { path: users.csv }
        id: id
        position: { latitude: a, longitude: o }
        attributes: { town: { type: category }, age: { type: number } }
    interactions:
      swipes:
        source: { path: swipes.csv }
        user: who
        candidate: whom
        at: at
        value: { from: way, map: { r: 1, l: -1 } }
    rankings:
      near: { users: users, candidates: users, top: 3, order_by: distance, exclude: [self] }
      by_word: { users: users, candidates: users, top: 3, order_by: distance, exclude: [self], per: town }
      by_town: { catalog: users, by: town, order_by: [age desc] }
      pairs: { mutual: swipes }
    """

  /// Dogs are candidates of users, and both can have the same id.
  private static let dogsYAML = """
    pipeline: p
    entities:
      users: { source: { path: users.csv }, id: id }
      dogs: { source: { path: dogs.csv }, id: id, created: made, attributes: { kind: { type: category } } }
    rankings:
      find: { users: users, candidates: dogs, top: 3 }
      board: { catalog: dogs, by: [kind] }
    """

  /// Writes `text` to the file `name` of rankings, and erases the user `id` into `scratch`.
  private static func edit(
    _ text: String, as name: String, in scratch: ScratchDirectory, id: String = "a",
    yaml: String = RankingsErasureTests.yaml
  ) throws {
    var directory = try StageDirectory("rankings", in: scratch("old"))
    try directory.write(name) { (writer) throws(FileError) in try writer.append(text) }
    _ = try directory.complete(
      Manifest(
        tool: "test", stage: "rankings", pipeline: "p", configuration: .null, asOf: Instant(milliseconds: 0),
        seed: 0, counts: [:]))
    var ids = ErasedIDs()
    ids.insert(Array(id.utf8), entity: "users")
    var erasure = RankingsErasure(try Pipeline(yaml: yaml, file: "p.yaml"), ids)
    try erasure.write(from: scratch("old/rankings"), into: scratch("new"))
  }

  private static func edited(
    _ text: String, as name: String = "near.csv", id: String = "a",
    yaml: String = RankingsErasureTests.yaml
  ) throws -> String {
    let scratch = try ScratchDirectory()
    try edit(text, as: name, in: scratch, id: id, yaml: yaml)
    return try scratch.text("new/rankings/" + name)
  }

  @Test(
    arguments: [
      // A row with a candidate has at least three fields.
      ("c,1,a\nc,2,d\n", "c,1,d\n"), ("c,1,a,0.5,1\nc,2,d,0.4,2\n", "c,1,d,0.4,2\n"),
      // A row without a candidate is not a list entry, so it stays.
      ("c,a\nc,2,d\n", "c,a\nc,2,d\n"), ("a\n", "a\n"),
      // The next user's ranks start at 1 again, even if the id begins with the previous user's id.
      ("c,1,a\nc,2,d\ncc,1,d\ncc,2,e\n", "c,1,d\ncc,1,d\ncc,2,e\n"),
      ("c,1,b\nc,2,a\nc,3,a\nc,4,d\n", "c,1,b\nc,2,d\n"),
      // The rows of an erased user are removed. Rows in which the id is only part of another field
      // stay.
      ("a,1,b\na,2,c\nb,1,aa\nb,2,ca\n", "b,1,aa\nb,2,ca\n"),
    ])
  func `rows of erased people are removed, and later ranks move up`(_ rows: String, _ left: String) throws {
    let header = "user_id,rank,candidate_id\n"
    #expect(try Self.edited(header + rows) == header + left)
  }

  /// In a ranking with `per`, the rows of a user and a word are a list.
  @Test(
    arguments: [
      ("c,x,1,a\nc,x,2,d\nc,y,1,b\nc,y,2,a\nc,y,3,d\n", "c,x,1,d\nc,y,1,b\nc,y,2,d\n"),
      // The next word begins with the previous one.
      ("c,x,1,a\nc,xx,1,d\nc,xx,2,e\n", "c,xx,1,d\nc,xx,2,e\n"),
      // A word can be equal to the id.
      ("c,a,1,d\nc,a,2,a\nc,a,3,e\n", "c,a,1,d\nc,a,2,e\n"), ("a,x,1,d\nb,x,1,d\n", "b,x,1,d\n"),
      // A row of three fields has no candidate.
      ("c,x,a\nc,x,2,d\n", "c,x,a\nc,x,2,d\n"),
    ])
  func `each list of a word has its own ranks`(_ rows: String, _ left: String) throws {
    let header = "user_id,word,rank,candidate_id\n"
    #expect(try Self.edited(header + rows, as: "by_word.csv") == header + left)
  }

  /// The id is `a,"b`. CSV and JSON write it differently.
  @Test(
    arguments: [
      (
        "near.csv", "user_id,rank,candidate_id\nCSV,1,c\nc,1,CSV\nc,2,d\n",
        "user_id,rank,candidate_id\nc,1,d\n"
      ),
      ("by_town.csv", "key,rank,candidate_id\nx,1,CSV\nx,2,d\n", "key,rank,candidate_id\nx,2,d\n"),
      ("pairs.csv", "user_id,other_id,at\nc,CSV,1\nCSV,c,2\nc,d,3\n", "user_id,other_id,at\nc,d,3\n"),
      (
        "near/part-00000.jsonl",
        #"{"user":JSON,"recommendations":[],"shortfall":null}"# + "\n"
          + #"{"user":"c","recommendations":[{"rank":1,"candidate":JSON},{"rank":2,"candidate":"d"}],"shortfall":null}"#
          + "\n",
        #"{"user":"c","recommendations":[{"rank":1,"candidate":"d"}],"shortfall":"none_left"}"# + "\n"
      ),
      (
        "by_town/part-00000.jsonl", #"{"key":"x","by":{"town":"x"},"rank":1,"candidate":JSON}"# + "\n", ""
      ),
    ])
  func `an id that needs quotes is found`(file: String, text: String, left: String) throws {
    let written = text.replacing("CSV", with: #""a,""b""#).replacing("JSON", with: #""a,\"b""#)
    #expect(try Self.edited(written, as: file, id: #"a,"b"#) == left)
  }

  /// The user `a` is erased, and the dog `a` is not. A file that the pipeline file does not explain loses the
  /// id of any kind.
  @Test(
    arguments: [
      (
        "find.csv", "user_id,rank,candidate_id\na,1,b\nb,1,a\nb,2,c\n",
        "user_id,rank,candidate_id\nb,1,a\nb,2,c\n"
      ),
      (
        "find/part-00000.jsonl",
        #"{"user":"a","recommendations":[],"shortfall":null}"# + "\n"
          + #"{"user":"b","recommendations":[{"rank":1,"candidate":"a"}],"shortfall":null}"# + "\n",
        #"{"user":"b","recommendations":[{"rank":1,"candidate":"a"}],"shortfall":null}"# + "\n"
      ),
      ("board.csv", "key,rank,candidate_id\nx,1,a\n", "key,rank,candidate_id\nx,1,a\n"),
      (
        "board/part-00000.jsonl", #"{"key":"x","by":{"kind":"x"},"rank":1,"candidate":"a"}"# + "\n",
        #"{"key":"x","by":{"kind":"x"},"rank":1,"candidate":"a"}"# + "\n"
      ), ("gone.csv", "one,two\nb,a\nb,c\n", "one,two\nb,c\n"),
    ])
  func `a candidate of another kind with the same id stays`(file: String, text: String, left: String) throws {
    #expect(try Self.edited(text, as: file, yaml: Self.dogsYAML) == left)
  }

  @Test func `a run without a funnel, matches or catalogs gets none`() throws {
    let scratch = try ScratchDirectory()
    try Self.edit("user_id,rank,candidate_id\nc,1,a\n", as: "near.csv", in: scratch)
    #expect(!scratch.exists("new/rankings/funnel.json") && !scratch.exists("new/rankings/_SUCCESS"))
    let counts = try Manifest(of: scratch("new/rankings")).counts
    #expect(counts["matches"] == nil && counts["catalogs"] == nil && counts["lists"] == [:])
  }

  /// The keys of a catalog can have the names of its other members, and the words can be ids.
  @Test func `an entry of a catalog is removed by its candidate, not by its key`() throws {
    func entry(_ town: String, _ group: String, rank: Int, _ candidate: String) -> String {
      #"{"key":{"town":"\#(town)","candidate":"\#(group)"},"rank":\#(rank),"candidate":"\#(candidate)"}"#
        + "\n"
    }
    let kept =
      entry("Cork", "a", rank: 2, "b") + entry("a", "rank", rank: 1, "c") + entry("Cork", "c", rank: 4, "ab")
    let gone = entry("Cork", "b", rank: 1, "a") + entry("Cork", "a", rank: 3, "a")
    #expect(try Self.edited(gone + kept, as: "by_town/part-00000.jsonl") == kept)
  }

  /// The erasure cannot find people in a damaged line, so it must not pass the line on.
  @Test(
    arguments: [
      (
        "near/part-00000.jsonl", "{\"user\":\"b\",\"recommendations\":[{\"rank\":1,\"candidate\":\"a\"",
        "JSON form"
      ),
      ("near/part-00000.jsonl", "{\"user\":\"a\",\"recommendations\":[]", "JSON form"),
      ("near/part-00000.jsonl", "{\"user\":\"b\",\"recommendations\":[]}{\"x\":\"a\"}", "JSON form"),
      (
        "by_town/part-00000.jsonl", "{\"key\":{\"town\":\"Cork\"},\"rank\":1,\"cand",
        "not an entry of a catalog"
      ),
      ("by_town/part-00000.jsonl", "{\"candidate\":\"a\",\"key\":{}}", "not an entry of a catalog"),
    ])
  func `a damaged line ends the erasure`(file: String, line: String, reason: String) throws {
    let good =
      file.hasPrefix("near")
      ? "{\"user\":\"c\",\"recommendations\":[],\"shortfall\":null}\n"
      : "{\"key\":{\"town\":\"Cork\"},\"rank\":1,\"candidate\":\"b\"}\n"
    #expect(try Self.edited(good, as: file) == good)
    let scratch = try ScratchDirectory()
    let error = try #require(throws: FileError.self) {
      try Self.edit(good + line + "\n" + good, as: file, in: scratch)
    }
    #expect(error.operation == .read && error.path == scratch("old/rankings/" + file))
    #expect(error.reason.contains(reason))
    #expect(!Directories.exists(scratch("new/rankings")))
  }

  @Test(arguments: [nil, "_SUCCESS"] as [String?])
  func `the manifest counts what an erasure removed and what it left`(marker: String?) throws {
    let scratch = try ScratchDirectory()
    func lines(_ lines: String...) -> String { lines.map { $0 + "\n" }.joined() }
    let near = lines(
      #"{"user":"a","recommendations":[{"rank":1,"candidate":"b"},{"rank":2,"candidate":"c"}],"shortfall":null}"#,
      #"{"user":"b","recommendations":[{"rank":1,"candidate":"a"},{"rank":2,"candidate":"c"}],"shortfall":null}"#,
      #"{"user":"c","recommendations":[{"rank":1,"candidate":"b"}],"shortfall":"none_left"}"#,
      #"{"user":"d","recommendations":[{"rank":1,"candidate":"a"}],"shortfall":"none_left"}"#)
    let entries = lines(
      #"{"key":{"town":"a"},"rank":1,"candidate":"a"}"#, #"{"key":{"town":"a"},"rank":2,"candidate":"b"}"#)
    let files: [(String, String)] = [
      ("near/part-00000.jsonl", near), ("by_town/part-00000.jsonl", entries), ("funnel.json", "{}"),
      ("pairs.csv", "user_id,other_id,at\na,b,1\nb,c,2\nc,a,3\n"),
      ("by_town.csv", "town,rank,candidate_id\na,1,a\na,2,b\n"),
    ]
    var directory = try StageDirectory("rankings", in: scratch("old"))
    for (name, text) in files {
      try directory.write(name) { (writer) throws(FileError) in try writer.append(text) }
    }
    let users: JSONValue = [
      "total": 4, "full_lists": 2, "short_lists": 2, "empty_lists": 0, "shortfall": ["none_left": 2],
    ]
    _ = try directory.complete(
      Manifest(
        tool: "test", stage: "rankings", pipeline: "p", configuration: .null, asOf: Instant(milliseconds: 0),
        seed: 0,
        counts: [
          "lists": ["near": ["users": users, "candidates": ["pairs": 9]]], "matches": ["pairs": 3, "x": 7],
          "catalogs": ["by_town": 2, "x": 1], "erased": ["lists": 1, "models": 4],
        ]), marker: marker)
    var ids = ErasedIDs()
    ids.insert(Array("a".utf8), entity: "users")
    var erasure = RankingsErasure(try Pipeline(yaml: Self.yaml, file: "p.yaml"), ids)
    try erasure.write(from: scratch("old/rankings"), into: scratch("new"))

    #expect(erasure.counts.lists == 1 && erasure.counts.places == 3 && erasure.counts.matches == 2)
    let kept = lines(
      #"{"user":"b","recommendations":[{"rank":1,"candidate":"c"}],"shortfall":"none_left"}"#,
      #"{"user":"c","recommendations":[{"rank":1,"candidate":"b"}],"shortfall":"none_left"}"#,
      #"{"user":"d","recommendations":[],"shortfall":"none_left"}"#)
    #expect(try scratch.text("new/rankings/near/part-00000.jsonl") == kept)
    #expect(
      try scratch.text("new/rankings/by_town/part-00000.jsonl")
        == lines(#"{"key":{"town":"a"},"rank":2,"candidate":"b"}"#))
    #expect(try scratch.text("new/rankings/pairs.csv") == "user_id,other_id,at\nb,c,2\n")
    #expect(try scratch.text("new/rankings/by_town.csv") == "town,rank,candidate_id\na,2,b\n")
    let manifest = try Manifest(of: scratch("new/rankings"))
    let left: JSONValue = [
      "total": 3, "full_lists": 0, "short_lists": 3, "empty_lists": 1, "shortfall": ["none_left": 3],
    ]
    let lists: JSONValue = ["near": ["users": left, "candidates": ["pairs": 9]]]
    let counts: JSONValue = [
      "lists": lists, "matches": ["pairs": 1, "x": 7], "catalogs": ["by_town": 1, "x": 1],
      "erased": ["lists": 2, "models": 4, "places": 3, "matches": 2],
    ]
    #expect(manifest.counts == counts)
    let funnel = try scratch.bytes("new/rankings/funnel.json")
    #expect(funnel == lists.pretty)
    #expect(manifest.outputs.first { $0.path == "pairs.csv" }?.rows == 1)
    #expect(Set(manifest.outputs.map(\.path)).isSuperset(of: files.map(\.0)))
    #expect(scratch.exists("new/rankings/_SUCCESS") == (marker != nil))
  }

  @Test func `a file of an unknown kind ends the erasure`() throws {
    let scratch = try ScratchDirectory()
    let error = try #require(throws: FileError.self) { try Self.edit("x", as: "new.bin", in: scratch) }
    #expect(error.operation == .write && error.reason.contains("cannot remove people from this kind of file"))
  }
}

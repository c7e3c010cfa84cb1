import Files
import PipelineFile
import TestSupport
import Testing
import Text
import Tombstones

@testable import Erasure

/// Erasing a person removes that person's lines from the files of an evaluation.
@Suite struct EvaluationErasureTests {
  @Test func `lines of an erased user or candidate are removed`() throws {
    let scratch = try ScratchDirectory()
    let files = [
      "users.csv":
        "ranking,method,user_id,ndcg\nnear,,a,0.5\nnear,,a b,0.25\na,,\"a,b\",1\nnear,a,ab,0\n",
      "scores.csv":
        "ranking,user_id,candidate_id,like,a\nnear,a,c,1,0.5\nnear,c,a b,0,0\na,c,ab,1,1\nnear,ab,c,1,a\n",
      "near.run": "a Q0 ab 1 0.5 x\nab Q0 a 1 0.5 x\nab Q0 a%20b 2 0.5 x\na%2Cb Q0 c 1 0.5 a\n",
      "near.qrels": "ab 0 a 1\nab 0 c 0\na%20b 0 c 1\ntwo fa\n\n",
      "metrics.json": "{\"slices\":[{\"slice\":\"x\",\"mean\":1},{\"slice\":\"y\",\"mean\":2}],\"mean\":3}",
    ]
    var manifest = Manifest(
      tool: "test", stage: "evaluation", pipeline: "p", configuration: .null, asOf: Instant(milliseconds: 0),
      seed: 0, counts: ["users": 4])
    var directory = try StageDirectory("evaluation", in: scratch("old"))
    for (name, text) in files.sorted(by: { $0.key < $1.key }) {
      try directory.write(name, rows: ["users.csv": 4, "scores.csv": 4, "near.run": 4][name]) {
        (writer) throws(FileError) in
        try writer.append(text)
      }
    }
    _ = try directory.complete(manifest)
    let pipeline = try Pipeline(
      yaml: "pipeline: p\nentities: { users: { source: { path: users.csv }, id: id } }\n",
      file: scratch("p.yaml"))
    var ids = ErasedIDs()
    // A person's id can equal a column's name, which must stay in the header.
    for id in ["a", "a b", "user_id"] { ids.insert(Array(id.utf8), entity: "users") }
    let erasure = EvaluationErasure(
      pipeline: pipeline, ids: ids, lost: LostWords(words: [Array("x".utf8)], columns: []))
    try erasure.write(from: scratch("old/evaluation"), into: scratch("new"))

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
    manifest = try Manifest(of: scratch("new/evaluation"))
    let rows = Dictionary(uniqueKeysWithValues: manifest.outputs.map { ($0.path, $0.rows) })
    #expect(rows == ["users.csv": 2, "scores.csv": 2, "near.run": 1, "near.qrels": nil, "metrics.json": nil])
    #expect(manifest.counts["users"] == 4 && manifest.counts["erased"] == ["people": 3])
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
}

import Files
import PipelineFile
import TestSupport
import Testing
import Text
import Tombstones

@testable import Erasure

/// People go from every file of an evaluation that has a line per person.
@Suite struct EvaluationErasureTests {
  @Test func `lines of an erased user or candidate are removed`() throws {
    let scratch = try ScratchDirectory()
    let files = [
      "users.csv": "list,word,user,ndcg\nnear,,a,0.5\nnear,,a b,0.25\na,,\"a,b\",1\nnear,a,ab,0\n",
      "near.run": "a Q0 ab 1 0.5 x\nab Q0 a 1 0.5 x\nab Q0 a%20b 2 0.5 x\na%2Cb Q0 c 1 0.5 a\n",
      "near.qrels": "ab 0 a 1\nab 0 c 0\na%20b 0 c 1\ntwo fields\n",
      "metrics.json": "{\"slices\":[{\"slice\":\"x\",\"mean\":1},{\"slice\":\"y\",\"mean\":2}],\"mean\":3}",
    ]
    var manifest = Manifest(
      tool: "test", stage: "evaluation", pipeline: "p", configuration: .null, asOf: Instant(milliseconds: 0),
      seed: 0, counts: ["users": 4])
    var directory = try StageDirectory("evaluation", in: scratch("old"))
    for (name, text) in files.sorted(by: { $0.key < $1.key }) {
      try directory.write(name, rows: name == "users.csv" ? 4 : nil) { (writer) throws(FileError) in
        try writer.append(text)
      }
    }
    _ = try directory.complete(manifest)
    let pipeline = try Pipeline(
      yaml: "pipeline: p\nentities: { users: { source: { path: users.csv }, id: id } }\n",
      file: scratch("p.yaml"))
    var ids = ErasedIDs()
    for id in ["a", "a b"] { ids.insert(Array(id.utf8), entity: "users") }
    let erasure = EvaluationErasure(
      pipeline: pipeline, ids: ids, lost: LostWords(words: [Array("x".utf8)], columns: []))
    try erasure.write(from: scratch("old/evaluation"), into: scratch("new"))

    #expect(
      try scratch.text("new/evaluation/users.csv") == "list,word,user,ndcg\na,,\"a,b\",1\nnear,a,ab,0\n")
    #expect(try scratch.text("new/evaluation/near.run") == "a%2Cb Q0 c 1 0.5 a\n")
    #expect(try scratch.text("new/evaluation/near.qrels") == "ab 0 c 0\ntwo fields\n")
    let metrics = try scratch.text("new/evaluation/metrics.json")
    #expect(!metrics.contains("\"x\"") && metrics.contains("\"y\"") && metrics.contains("3"))
    manifest = try Manifest(of: scratch("new/evaluation"))
    #expect(manifest.outputs.first { $0.path == "users.csv" }?.rows == 2)
    #expect(manifest.counts["users"] == 4 && manifest.counts["erased"] == ["people": 2])
  }
}

import Columns
import Foundation
import Testing
import TestSupport

/// U+0000, which ends a text in C, is a character like any other in an id, from the export to the store.
struct ZeroByteTests {
  private static let ids = ["a\u{0}b", "a", "\u{0}", "a\u{0}c", "x"]

  private func json(_ text: String) -> String { "\"" + text.replacing("\u{0}", with: "\\u0000") + "\"" }

  @Test func `ids that differ after a zero byte are different people everywhere`() throws {
    let product = try SmallProduct()
    let people = Self.ids.map {
      "{\"id\":\(json($0)),\"field\":\(json($0)),\"lat\":52.5,\"lon\":13.4,\"years\":1,\"changed\":0}\n"
    }
    var swipes = ""
    for (index, id) in Self.ids.enumerated() {
      let other = Self.ids[(index + 1) % Self.ids.count]
      swipes += "{\"from\":\(json(id)),\"to\":\(json(other)),\"answer\":\"right\",\"at\":\(index)}\n"
    }
    try product.directory.write(people.joined(), to: "people.jsonl")
    try product.directory.write(swipes, to: "swipes.jsonl")
    for name in ["people", "swipes"] {
      try product.replace("source: { path: \(name).csv }", by: "source: { path: \(name).jsonl }")
    }
    try product.replace("minimum_score: 0", by: "minimum_score: -9")
    try product.replace("exclude: [self, interacted, vetoed, gone]", by: "exclude: [self]")
    let ended = try product.run()
    try #require(ended.ending == .status(0), "\(ended.errors)")
    let sorted = Self.ids.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
    let ids = try StringColumn(product.run(1) + "/snapshot/entities/people/id")
    #expect(ids.strings.map { Array($0.utf8) } == sorted)
    let lines = try RankingsFiles(product.run(1) + "/rankings", list: "partners").lines
    #expect(lines.map { Array($0.user.utf8) } == sorted)
    for line in lines {
      #expect(Set(line.recommendations.map(\.candidate) + [line.user]) == Set(Self.ids))
    }
    // No argument of a program has a zero byte, so who has one in the id is looked at on others' lists.
    let arguments = ["show", product.pipelineFile, "--work", product.work, "--user", "x"]
    let served = try RankingsFiles.Line(json: try Program.run("nightjar", arguments + ["--json"]).output)
    #expect(served == lines.last)
    let shown = try Program.run("nightjar", arguments)
    expectHarmless(shown.output)
    #expect(shown.output.contains("a\\u0000b") && shown.output.contains("a\\u0000c"))
  }
}

import Columns
import Foundation
import IngestFixture
import PipelineFile
import Readers
import RunSchemas
import Testing
import TestSupport
import Text

@testable import Ingest

/// Owners of entities, and required attributes.
@Suite struct OwnerTests {
  private func night(people: String, notes: String, asOf: Int64 = 1000) throws -> Night {
    try Night(
      CheckInNight.yaml(), CheckInNight.files(people: people, notes: notes),
      asOf: Instant(milliseconds: asOf))
  }

  @Test func `an owner is a row of the snapshot's table`() throws {
    let night = try night(
      people: "zoe,,Zoe\nada,,Ada\nlate,5000,Late\nbob,,Bob\n", notes: "n2,1,zoe\nn1,1,bob\n")
    let notes = try #require(try night.snapshot().entities["notes"])
    #expect(notes.ids.strings == ["n1", "n2"])
    #expect(notes.owner?.elements == [1, 2])
    #expect(try night.ids() == ["ada", "bob", "zoe"])
  }

  @Test func `entities whose owner is not kept are rejected or later`() throws {
    let night = try night(
      people: "a,,Ada\nlate,5000,Late\nnameless,,\n",
      notes: "n1,1,a\nn2,1,\nn3,1,stranger\nn4,1,late\nn5,1,nameless\nn6,7000,a\n")
    #expect(try night.ids("notes") == ["n1"])
    #expect(night.accounts("notes") == [6, 1, 3, 0, 2])
    #expect(
      try night.rejects().map { Array($0[2...5]) } == [
        ["3", "by", "missing_id", ""], ["4", "by", "unknown_owner", "stranger"],
        ["6", "by", "unknown_owner", "nameless"], ["4", "name", "missing_attribute", ""],
      ])
  }

  @Test(arguments: [("", false), (", optional: true", false), (", required: true", true)])
  func `the field of a flag may be absent unless the flag is required`(option: String, isError: Bool) throws {
    let yaml = """
      pipeline: p
      reject_limit: 1
      entities:
        people:
          source: { path: people.jsonl }
          id: id
          attributes: { it: { type: flag\(option) } }
      """
    let files = ["people.jsonl": "{\"id\":\"a\"}\n"]
    if isError {
      let error = #expect(throws: ExportError.self) { _ = try Night(yaml, files) }
      #expect(error?.code == .missingColumn)
    } else {
      #expect(try Night(yaml, files).snapshot().entities["people"]?.flags["it"]?.elements == [0])
    }
  }

  /// The newest rows are compared with the next run. A row counts for its owner.
  @Test func `the newest rows of four owners are found`() throws {
    let people = "abcd".map { "\($0),,Name\n" }.joined()
    let night = try night(
      people: people, notes: "n1,10,a\nn2,20,a\nn3,30,a\nn4,40,a\nn5,5,b\nn6,6,c\nn7,7,d\n")
    let newest = try #require(night.counts("notes")?["newest"])
    #expect(newest["milliseconds"] == 40 && newest["milliseconds_of_fourth_user"] == 5)
    #expect(night.counts("people")?["newest"] == nil)
  }

  @Test(arguments: [
    ("text", "\"\"", "missing_attribute"), ("text", "null", "missing_attribute"), ("text", "\" \"", ""),
    ("category", "\"\"", "missing_attribute"), ("category", "\"x\"", ""),
    ("number", "null", "missing_attribute"),
    ("number", "0", ""), ("number", "\"x\"", "bad_number"), ("flag", "null", "missing_attribute"),
    ("flag", "false", ""), ("tags", "[]", "missing_attribute"), ("tags", "[\"\",null]", "missing_attribute"),
    ("tags", "\";;\"", "missing_attribute"), ("tags", "[\"x\"]", ""), ("date", "null", "missing_attribute"),
    ("date", "\"2026-01-01\"", ""), ("intervals", "[]", "missing_attribute"),
    ("intervals", "null", "missing_attribute"),
    ("intervals", "[{\"from\":1,\"to\":2}]", ""), ("flag", "true", ""),
    ("category", "null", "missing_attribute"),
  ]) func `a row without a required attribute is rejected`(type: String, value: String, rule: String)
    throws
  {
    let night = try Night(
      """
      pipeline: p
      as_of: newest
      plausible: [1, 9999]
      reject_limit: 1
      entities:
        people:
          source: { path: people.jsonl }
          id: id
          attributes: { it: { type: \(type), required: true } }
      """,
      ["people.jsonl": "{\"id\":\"a\",\"it\":\(value)}\n{\"id\":\"b\"}\n"])
    #expect(try night.ids() == (rule.isEmpty ? ["a"] : []))
    #expect(try night.rejects().map { $0[4] } == (rule.isEmpty ? [] : [rule]) + ["missing_attribute"])
  }
}

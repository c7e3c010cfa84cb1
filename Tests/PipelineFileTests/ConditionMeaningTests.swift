import Columns
import IngestFixture
import RunSchemas
import Testing
import Text

@testable import PipelineFile

/// Tests which rows meet each condition, including boundary values.
@Suite struct ConditionMeaningTests {
  private static let yaml = """
    pipeline: p
    entities:
      events:
        source: { path: events.csv }
        id: id
        attributes:
          field: { type: category }
          skills: { type: tags, separator: ; }
          age: { type: number }
          gone: { type: flag }
          starts: { type: date }
          ends: { type: date }
    """

  private static let rows = """
    id,field,skills,age,gone,starts,ends
    a,art,x;y,18,true,2026-01-02,2026-01-03
    b,Art,x,17.5,false,2026-01-02,
    c,,,,,,
    d,sport,y;z,30,,2026-01-01,2026-01-05
    e,music,z,31,true,,2026-01-02

    """

  /// Returns the ids of the rows that meet `condition` at the start of 2 January 2026.
  private func meeting(_ condition: Pipeline.Condition) throws -> String {
    let night = try Night(Self.yaml, ["events.csv": Self.rows], asOf: Instant(milliseconds: 0))
    let table = try #require(try night.snapshot().entities["events"])
    let met = table.meets(condition, asOf: Instant(milliseconds: Self.secondOfJanuary))
    #expect(met.count == table.count)
    return zip(table.ids.strings, met).filter { $0.1 }.map { $0.0 }.joined()
  }

  private static let secondOfJanuary: Int64 = 1_767_312_000_000
  private static let day = 86_400_000.0

  @Test(
    arguments: [
      (.flagged("gone"), "ae"), (.notFlagged("gone"), "bcd"),
      (.oneOf("field", ["art", "music"]), "ae"), (.oneOf("field", ["none"]), ""),
      (.oneOf("skills", ["x", "z"]), "abde"),
      (.noneOf("field", ["art", "music"]), "bcd"), (.noneOf("skills", ["x", "z"]), "c"),
      (.known("field"), "abde"), (.known("skills"), "abde"),
      (.within("age", 18...30), "ad"), (.within("age", 17.5...17.5), "b"),
      (.within("age", 18.0.nextUp...30.0.nextDown), ""),
      (.within("starts", Double(secondOfJanuary)...Double(secondOfJanuary)), "ab"),
      (.within("starts", Double(secondOfJanuary) - day...Double(secondOfJanuary) - 1), "d"),
      (.within("starts", -Double.infinity...Double.infinity), "abd"),
      // The first date that is not missing counts.
      (.notOver(["ends", "starts"]), "abde"), (.notOver(["starts", "ends"]), "abe"),
      (.notOver(["starts"]), "ab"),
    ] as [(Pipeline.Condition, String)])
  func `rows meet a condition`(condition: Pipeline.Condition, expected: String) throws {
    #expect(try meeting(condition) == expected, "\(condition)")
  }

  @Test(arguments: ["nothing", "starts", "age"])
  func `the setting not_before accepts only a known date attribute`(other: String) throws {
    let yaml = Self.yaml.replacing("ends: { type: date }", with: "ends: { type: date, not_before: \(other) }")
    if other == "starts" {
      _ = try Pipeline(yaml: yaml, file: "p.yaml")
    } else {
      let error = try #require(throws: PipelineFileError.self) { try Pipeline(yaml: yaml, file: "p.yaml") }
      #expect("\(error)".contains("'\(other)'") && "\(error)".contains("starts"), "\(error)")
    }
  }
}

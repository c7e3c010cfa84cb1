import Testing
import TestSupport

@testable import PipelineFile

/// Returns the expectations of an entity with all kinds of fields, or of its interactions.
private func expectations(_ expect: String, ofInteraction: Bool = false) throws(PipelineFileError)
  -> Pipeline.Expectations
{
  let yaml = """
    pipeline: p
    entities:
      u:
        source: { path: u.csv }
        id: id
        created: t
        position: { latitude: lat, longitude: lon }
        attributes:
          age: { type: number }
          bio: { type: text }
        expect: { \(ofInteraction ? "" : expect) }
    interactions:
      likes:
        source: { path: l.csv }
        user: a
        candidate: b
        at: t
        value: v
        expect: { \(ofInteraction ? expect : "") }
    """
  let read = try pipeline(yaml)
  return ofInteraction ? read.interactions[0].expectations : read.entities[0].expectations
}

@Suite struct ExpectSettingTests {
  @Test(arguments: [
    (4, 100, true), (3, 100, false), (3, 6, false), (3, 5, true), (2, 3, true), (2, 4, false), (1, 1, false),
  ])
  func `a drop of 4 rows counts, or of 2 rows if it is over half`(drop: Int, before: Int, isNotable: Bool) {
    #expect(Pipeline.Expectations.isNotable(drop, of: before) == isNotable)
  }

  @Test func `every key of an expectation has its effect`() throws {
    var expected = Pipeline.Expectations()
    expected.atLeast = 10
    expected.atMost = 20
    expected.dropAtMost = 0.2
    expected.growAtMost = 3
    expected.newestAtMost = 129_600_000
    expected.unique = [["name"], ["field", "age"]]
    expected.ranges = ["age": 0...120]
    expected.missingAtMost = ["name": 0.1]
    #expect(try pipeline(everyKey).entity("people")?.expectations == expected)
    #expect(try pipeline(everyKey).entity("events")?.expectations == Pipeline.Expectations())
    #expect(try expectations("") == Pipeline.Expectations())
  }

  @Test func `files beside an export have a name or a path`() throws {
    let read = try expectations("complete: { marker: _SUCCESS, rows_in: counts/n }")
    #expect(read.marker == "_SUCCESS" && read.rowsIn == "counts/n")
    let marker = try expectations("complete: { marker: done }", ofInteraction: true)
    #expect(marker.marker == "done" && marker.rowsIn == nil)
    #expect(try expectations("complete: {}") == Pipeline.Expectations())
    for (setting, reason) in [
      ("{ marker: \"\" }", "must be text"), ("{ rows_in: \"a\\0b\" }", "must name a file"),
      ("{ done: x }", "unknown key"),
    ] {
      let error = #expect(throws: PipelineFileError.self) { _ = try expectations("complete: \(setting)") }
      #expect(error?.reason.contains(reason) == true, "\(String(describing: error))")
    }
  }

  @Test func `check-ins and requests have numbers of rows and a newest row`() throws {
    let expect = "expect: { rows: { at_least: 2 }, newest_at_most: 1h, complete: { rows_in: n } }"
    let yaml = changed("    minimum_age: 21", "    minimum_age: 21\n    \(expect)")
    let complete = "newest_at_most: 1h\n      complete: { rows_in: n }\n"
    let file = try pipeline(yaml.replacing("newest_at_most: 1d\n", with: complete))
    var expected = Pipeline.Expectations()
    (expected.newestAtMost, expected.rowsIn, expected.atLeast) = (3_600_000, "n", 2)
    #expect(file.requests("asks")?.expectations == expected)
    expected.atLeast = 1
    #expect(file.checkIns.first?.expectations == expected)
  }

  @Test func `positions have ranges, and can be missing`() throws {
    let read = try expectations(
      "range: { latitude: [47, 55.5], longitude: [-1, -1] }, missing_at_most: { position: 5 %, bio: 1, age: 0 }"
    )
    #expect(read.ranges == ["latitude": 47...55.5, "longitude": -1...(-1)])
    #expect(read.missingAtMost == ["position": 0.05, "bio": 1, "age": 0])
  }

  @Test func `interactions have four names for uniqueness, and a range for the value`() throws {
    let read = try expectations(
      "unique: [[user, candidate, at], value], range: { value: [1, 5] }, newest_at_most: 7d, rows: { at_least: 0 }",
      ofInteraction: true)
    #expect(read.unique == [["user", "candidate", "at"], ["value"]])
    #expect(read.ranges == ["value": 1...5])
    #expect(read.newestAtMost == 604_800_000)
    #expect(read.atLeast == 0 && read.atMost == nil)
  }

  @Test(arguments: [
    ("90s", Int64(90_000)), ("90m", 5_400_000), ("36h", 129_600_000), ("36 h", 129_600_000),
    ("7d", 604_800_000),
    ("2w", 1_209_600_000), ("\"1d\"", 86_400_000),
  ]) func `a time span is parsed to milliseconds`(text: String, milliseconds: Int64) throws {
    #expect(try expectations("newest_at_most: \(text)").newestAtMost == milliseconds)
  }

  @Test(arguments: [("300 %", 3.0), ("0.5", 0.5), ("0 %", 0), ("100000000 %", 1_000_000), ("1e1 %", 0.1)])
  func `rows may grow by more than 100 %`(text: String, share: Double) throws {
    #expect(try expectations("rows: { grow_at_most: \(text) }").growAtMost == share)
  }

  @Test(arguments: [
    ("rang: {}", "'range'"), ("range: { latitud: [0, 1] }", "'latitude'"), ("unique: [agee]", "'age'"),
    ("missing_at_most: { positon: 0 }", "'position'"), ("rows: { at_mst: 1 }", "'at_most'"),
    ("newest_at_most: 3D", "'d'"),
  ]) func `the error for an unknown name contains the nearest one`(expect: String, nearest: String) throws {
    let error = #expect(throws: PipelineFileError.self) { _ = try expectations(expect) }
    #expect(error?.advice.contains(nearest) == true, "\(String(describing: error))")
    #expect(error?.place.hasPrefix("p.yaml:11:") == true)
  }

  @Test(arguments: [
    ("created: t", true), ("updated: t", true), ("created: t, updated: s", true), ("", false),
  ])
  func `only entities with a time can have an expectation about the newest row`(time: String, isValid: Bool) {
    let source =
      "{ source: { path: u.csv }, id: id, expect: { newest_at_most: 1d }\(time.isEmpty ? "" : ", " + time) }"
    #expect((mistake("pipeline: p\nentities: { u: \(source) }\n") == nil) == isValid)
  }

  @Test func `without a position there is no range`() throws {
    let yaml = changed("    position:\n      latitude: lat\n      longitude: lon\n", "")
      .replacing("    - position\n    - distance\n", with: "").replacing("    within_km: 100\n", with: "")
      .replacing("    - geohash:\n        precision: 4\n", with: "")
    #expect(mistake(yaml) == nil)
    let latitude = yaml.replacing("        age:\n          - 0", with: "        latitude:\n          - 0")
    #expect(mistake(latitude)?.advice == "Valid here: age.")
  }
}

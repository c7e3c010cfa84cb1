import Columns
import Files
import Foundation
import Geohash
import IngestFixture
import PipelineFile
import Readers
import RunSchemas
import Testing
import TestSupport
import Text

@testable import Ingest

/// An entity's position is its newest valid check-in.
@Suite struct CheckInTests {
  private let people = "a,,Ada\nb,,Ben\nc,,Cleo\nd,2000,Dina\n"

  private func night(
    _ visits: String, expiry: String = "", asOf: Int64? = nil, clock: Int64 = 1_000_000_000,
    notes: String = ""
  ) throws -> Night {
    try Night(
      CheckInNight.yaml(expiry: expiry),
      CheckInNight.files(people: people, visits: visits, notes: notes),
      asOf: asOf.map(Instant.init(milliseconds:)), clock: Instant(milliseconds: clock))
  }

  /// The text `latitude/place/mood` for each id. `-` stands for a missing value.
  private func reported(_ night: Night) throws -> [String: String] {
    let table = try #require(try night.snapshot().entities["people"])
    return try Dictionary(
      uniqueKeysWithValues: (0..<table.count).map { row in
        let latitude = try #require(table.latitude)[row]
        let mood = try #require(table.categories["mood"])
        let code = mood.codes[row]
        let parts = [
          latitude.isNaN ? "-" : String(Int(latitude.rounded())),
          table.texts["place"]?.string(row) ?? "?",
          code == CategoryColumn.missing ? "" : mood.vocabulary.string(Int(code)),
        ]
        return (table.ids.string(row), parts.map { $0.isEmpty ? "-" : $0 }.joined(separator: "/"))
      })
  }

  @Test(arguments: [1, 5, 12]) func `a position is replaced by the center of its cell`(precision: Int) throws
  {
    let night = try Night(
      CheckInNight.yaml().replacing("snap_positions_to: 12", with: "snap_positions_to: \(precision)"),
      CheckInNight.files(people: "a,,Ada\n", visits: "v1,a,100,48.137,11.575,x,\n"),
      clock: Instant(milliseconds: 1000))
    let coordinate = try #require(Coordinate(latitude: 48.137, longitude: 11.575))
    let center = Geohash(coordinate, precision: precision).center
    let table = try #require(try night.snapshot().entities["people"])
    #expect(table.latitude?.elements == [center.latitude] && table.longitude?.elements == [center.longitude])
  }

  @Test func `a file may lack only the columns of optional attributes`() throws {
    let yaml = CheckInNight.yaml().replacing(
      "mood: { type: category }", with: "mood: { type: category, optional: true }")
    var files = CheckInNight.files(people: "a,,Ada\n")
    files["visits.csv"] = "id,who,at,lat,lon,place\nv1,a,100,1,7,x\n"
    let night = try Night(yaml, files, clock: Instant(milliseconds: 1000))
    #expect(try reported(night)["a"] == "1/x/-")
    let names = ["id", "who", "at", "lat", "lon", "place"]
    for absent in names {
      files["visits.csv"] = names.filter { $0 != absent }.joined(separator: ",") + "\n"
      let error = #expect(throws: ExportError.self) { _ = try Night(yaml, files) }
      #expect(error?.reason.hasPrefix("the file has no column '\(absent)'") == true)
    }
  }

  @Test func `the newest check-ins of four users are found`() throws {
    let visits = ["a,100", "b,200", "c,300", "d,400", "a,500", "d,600"].enumerated().map {
      "v\($0),\($1),1,7,x,\n"
    }
    let files = CheckInNight.files(people: "a,,A\nb,,B\nc,,C\nd,,D\n", visits: visits.joined())
    let night = try Night(CheckInNight.yaml(), files, clock: Instant(milliseconds: 1000))
    let newest = try #require(night.counts("visits")?["newest"])
    #expect(newest["milliseconds"] == 600 && newest["milliseconds_of_fourth_user"] == 200)
  }

  @Test func `a rejected check-in is listed under its own file`() throws {
    let header = "id,who,at,lat,lon,place,mood\n"
    var files = CheckInNight.files(people: people)
    files["visits.csv"] = nil
    files["visits/1.csv"] = header + "v1,a,100,1,7,old,gay\nv2,a,x,1,7,old,gay\n"
    files["visits/2.csv"] = header + "v3,b,100,1,7,old,gay\nv4,b,100,91,7,old,gay\n"
    let night = try Night(
      CheckInNight.yaml().replacing("path: visits.csv", with: "path: visits, format: csv"), files,
      clock: Instant(milliseconds: 1_000_000_000))
    let rejects = try night.rejects().map { ($0[0].suffix(5), $0[4]) }
    #expect(rejects.map(\.0) == ["1.csv", "2.csv"] && rejects.map(\.1) == ["bad_time", "bad_latitude"])
  }

  @Test func `the newest check-in counts, wherever it is in the file`() throws {
    let night = try night(
      """
      v1,a,100,1,7,old,gay
      v2,a,300,3,7,new,
      v3,a,200,2,7,older,grey
      v4,b,50,5,7,only,grey

      """)
    #expect(try reported(night) == ["a": "3/new/-", "b": "5/only/grey", "c": "-/-/-"])
    #expect(night.accounts("visits") == [4, 2, 0, 2, 0])
    // A vocabulary contains only words of current rows.
    let moods = try night.snapshot().entities["people"]?.categories["mood"]?.vocabulary.strings
    #expect(moods == ["grey"])
    #expect(night.manifest.counts["as_of_from"] == "newest_check_in")
    #expect(night.manifest.asOf == Instant(milliseconds: 300))
    // A replaced value is not a reject.
    #expect(try night.rejects().isEmpty)
  }

  @Test func `a check-in belongs to its user in any order of the users`() throws {
    let visits = "v1,a,100,1,7,x,gay\nv2,b,100,2,7,y,\nv3,c,100,3,7,z,grey\n"
    let night = try Night(
      CheckInNight.yaml(), CheckInNight.files(people: "c,,C\nd,,D\na,,A\nb,,B\n", visits: visits),
      clock: Instant(milliseconds: 1000))
    #expect(try reported(night) == ["a": "1/x/gay", "b": "2/y/-", "c": "3/z/grey", "d": "-/-/-"])
  }

  @Test func `if two check-ins have the same time, the larger id by bytes counts, in any order`() throws {
    let rows = ["v10,a,100,1,7,ten,", "v9,a,100,9,7,nine,", "V99,a,100,4,7,capital,"]
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0]] {
      let night = try night(order.map { rows[$0] + "\n" }.joined())
      #expect(try reported(night)["a"] == "9/nine/-")
    }
  }

  @Test func `if a check-in was exported twice, the last row counts`() throws {
    let night = try night("v1,a,100,1,7,first,\nv1,a,100,2,7,second,\n")
    #expect(try reported(night)["a"] == "2/second/-")
    #expect(night.accounts("visits") == [2, 1, 0, 1, 0])
  }

  @Test(arguments: [
    (3_600_000, "1/there/-", 0), (3_600_001, "-/-/-", 1), (3_599_999, "1/there/-", 0), (0, "1/there/-", 0),
  ]) func `a check-in as old as the limit counts, and an older one does not`(
    age: Int64, expected: String, expired: Int
  ) throws {
    let night = try night(
      "v1,a,5000,1,7,there,\n", expiry: "    expires_after: 60m", asOf: 5000 + age)
    #expect(try reported(night)["a"] == expected)
    #expect(night.accounts("visits") == [1, 1, 0, 0, 0])
    #expect(night.counts("visits")?["expired"] == .integer(expired))
  }

  @Test(arguments: [
    ("", 86_400_000, false), ("", 86_400_001, true), ("    expires_after: never", 9e15, false),
  ])
  func `a check-in counts for a day by default`(
    expiry: String, age: Double, isExpired: Bool
  ) throws {
    let night = try night("v1,a,0,1,7,there,\n", expiry: expiry, asOf: Int64(age))
    #expect(try reported(night)["a"] == (isExpired ? "-/-/-" : "1/there/-"))
  }

  @Test func `an expired check-in does not restore an older one`() throws {
    let night = try night(
      "v1,a,100,1,7,old,\nv2,a,200,2,7,new,\n", expiry: "    expires_after: 1s", asOf: 5000)
    #expect(try reported(night)["a"] == "-/-/-")
  }

  @Test func `check-ins after the as-of time are counted and have no effect`() throws {
    let visits = "v1,a,100,1,7,now,\nv2,a,700,2,7,then,\nv3,b,600,3,7,then,\n"
    let given = try night(visits, asOf: 500)
    #expect(try reported(given) == ["a": "1/now/-", "b": "-/-/-", "c": "-/-/-"])
    #expect(given.accounts("visits") == [3, 1, 0, 0, 2])
    // The machine's clock limits the newest check-in in the same way.
    let clock = try night(visits, clock: 650)
    #expect(clock.manifest.asOf == Instant(milliseconds: 600))
    #expect(try reported(clock) == ["a": "1/now/-", "b": "3/then/-", "c": "-/-/-"])
    #expect(clock.accounts("visits") == [3, 2, 0, 0, 1])
  }

  @Test func `check-ins of users created after the as-of time are later`() throws {
    let night = try night("v1,d,100,1,7,x,\nv2,d,200,1,7,x,\nv3,a,150,1,7,x,\n", asOf: 1000)
    #expect(night.accounts("visits") == [3, 1, 0, 0, 2])
    #expect(try night.ids() == ["a", "b", "c"])
  }

  @Test func `each broken rule is reported with its place`() throws {
    let night = try night(
      """
      ,a,100,1,7,x,
      v2,,100,1,7,x,
      v3,nobody,100,1,7,x,
      v4,a,,1,7,x,
      v5,a,yesterday,1,7,x,
      v6,a,100,,,x,
      v7,a,100,91,7,x,
      v8,a,100,1,,x,
      v9,a,100,1,7,,
      v10,a,100,1,7
      v11,a,100,1,7,good,

      """)
    #expect(
      try night.rejects().map { Array($0[1...4]) } == [
        ["line", "2", "id", "missing_id"], ["line", "3", "who", "missing_id"],
        ["line", "4", "who", "unknown_user"], ["line", "5", "at", "bad_time"],
        ["line", "6", "at", "bad_time"], ["line", "7", "lat", "missing_position"],
        ["line", "8", "lat", "bad_latitude"], ["line", "9", "lon", "bad_longitude"],
        ["line", "10", "place", "missing_attribute"], ["line", "11", "", "wrong_field_count"],
      ])
    #expect(night.accounts("visits") == [11, 1, 10, 0, 0])
    #expect(try reported(night)["a"] == "1/good/-")
  }

  @Test func `without check-ins there are no positions, and the clock is the as-of time`() throws {
    let night = try night("", clock: 4711)
    #expect(try reported(night) == Dictionary(uniqueKeysWithValues: "abcd".map { (String($0), "-/-/-") }))
    #expect(night.manifest.asOf == Instant(milliseconds: 4711))
    #expect(night.manifest.counts["as_of_from"] == "clock")
  }

  @Test(arguments: [
    ("    expect: { newest_at_most: 1h }", "", "newest_at_most"),
    ("    expect: { newest_at_most: 2h }", "", ""),
    ("    expect: { rows: { at_least: 3 } }", "", "rows.at_least"),
    ("", "    expect: { missing_at_most: { place: 40 % } }", "missing_at_most.place"),
    ("", "    expect: { missing_at_most: { position: 40 % } }", "missing_at_most.position"),
    ("", "    expect: { missing_at_most: { place: 50 %, position: 50 % }, unique: [place] }", ""),
    ("", "    expect: { range: { latitude: [2, 3] } }", "range.latitude"),
  ]) func `expectations apply to attributes of check-ins`(
    visits: String, people: String, violated: String
  ) throws {
    func night() throws -> Night {
      try Night(
        CheckInNight.yaml(expiry: visits, people: people),
        CheckInNight.files(people: "a,,Ada\nb,,Ben\n", visits: "v1,a,100,1,7,x,\nv2,a,90,5,7,y,\n"),
        asOf: Instant(milliseconds: 7_200_000))
    }
    guard !violated.isEmpty else {
      #expect(try night().counts("visits")?["kept"] == 1)
      return
    }
    let error = #expect(throws: ExpectationsViolated.self) { try night() }
    #expect(error?.violations.map(\.expectation) == [violated])
  }

  @Test func `earlier versions of entities have no values of check-ins`() throws {
    let yaml = CheckInNight.yaml(people: "    updated: updated")
    var files = CheckInNight.files(people: "", visits: "v1,a,100,1,7,x,gay\n")
    files["people.csv"] = "id,created,updated,name\na,,1,Old\na,,2,New\n"
    let night = try Night(yaml, files, asOf: Instant(milliseconds: 1000))
    let table = try #require(try night.snapshot().entities["people"])
    #expect(table.texts["name"]?.strings == ["New"])
    #expect(table.texts["place"]?.strings == ["x"])
    let earlier = try #require(table.earlier)
    #expect(earlier.attributes.texts["name"]?.strings == ["Old"])
    #expect(earlier.attributes.texts["place"]?.strings == [""])
    #expect(earlier.attributes.categories["mood"]?.codes.elements == [CategoryColumn.missing])
    #expect(earlier.latitude.map { $0.elements.map(\.isNaN) } == [true])
  }
}

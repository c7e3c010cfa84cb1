import DataContract
import Foundation
import PipelineFile
import Readers
import Testing
import TestSupport
import Text

/// A product with every kind of field, and with each kind of expectation that a schema can express.
private let product = """
  pipeline: Walkies
  entities:
    dogs:
      source: { path: dogs.tsv, quote: "'", missing: [NA, null, ""] }
      id: id
      created: { from: born, unit: seconds }
      position: { latitude: place.lat, longitude: place.lon }
      attributes:
        breed: { type: category }
        name: { type: text, from: call_name, optional: true }
        weight: { type: number, from: kg }
        also_weight: { type: number, from: kg }
        good: { type: flag }
      expect:
        rows: { at_least: 5 }
        range: { weight: [0.5, 90], also_weight: [1, 100], latitude: [47, 120] }
        unique: [breed, [name, weight]]
        missing_at_most: { breed: 0, position: 0, name: 0.5 }
    walkers:
      source: { path: [b.json, a.json], format: parse }
      id: id
      updated: changed
  interactions:
    Walkies:
      source: { path: "walks/*.csv", delimiter: ";" }
      user: { from: walker, entity: walkers }
      candidate: { from: dog, entity: dogs }
      at: day
      value: { from: verdict, map: { "no": -1, again: 1 } }
      expect: { unique: [[user, candidate], at] }
    stars:
      source: { format: duckdb, query: SELECT 1 }
      user: { from: walker, entity: walkers }
      candidate: { from: dog, entity: dogs }
      at: day
      value: stars
      expect: { range: { value: [1, 5] } }
  """

@Suite struct DataPackageTests {
  private func package(_ directory: ScratchDirectory, _ changes: [String] = []) throws -> JSONValue {
    let path = try directory.write(product, to: "walkies.yaml")
    let prefix = directory.path + "/"
    let pipeline = try Pipeline(file: path, overrides: changes.map(Override.init))
    return try pipeline.dataPackage {
      $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0
    }
  }

  private func resources(_ package: JSONValue) throws -> [JSONValue] {
    try #require(package["resources"]?.elements)
  }

  private func field(_ name: String, in resource: JSONValue) throws -> JSONValue {
    try #require(resource["schema"]?["fields"]?.elements?.first { $0["name"] == .string(name) })
  }

  @Test(arguments: [
    ("milliseconds", "datetime", "RFC 3339"), ("seconds", "integer", "Seconds since 1970"),
    ("microseconds", "integer", "Microseconds since 1970"),
    ("nanoseconds", "integer", "Nanoseconds since 1970"),
    ("days_since_1900", "number", "day 1 is 1900-01-01"),
    ("seconds_since_2001", "number", "Seconds since 2001"),
  ])
  func `a time has the type of its unit`(unit: String, type: String, words: String) throws {
    let package = try package(try ScratchDirectory(), ["entities.dogs.created.unit=\(unit)"])
    let born = try field("born", in: try resources(package)[0])
    #expect(born["type"] == .string(type))
    #expect(born["description"]?.stringValue?.contains(words) == true, "\(born)")
  }

  @Test func `resources are the sources in order, with the existing files`() throws {
    let scratch = try ScratchDirectory()
    for name in ["walks/2.csv", "walks/10.csv", "walks/_SUCCESS"] { try scratch.write("x", to: name) }
    let package = try package(scratch)
    #expect(package["name"] == "walkies" && package["profile"] == "data-package")
    let resources = try resources(package)
    #expect(resources.map { $0["name"] } == ["dogs", "walkers", "walkies", "stars"])
    #expect(resources.map { $0["title"] } == ["dogs", "walkers", "Walkies", "stars"])
    #expect(
      resources.map { $0["path"] }
        == ["dogs.tsv", .array(["b.json", "a.json"]), .array(["walks/10.csv", "walks/2.csv"]), nil])
    #expect(resources.map { $0["data"] } == [nil, nil, nil, .array([])])
    #expect(resources.map { $0["format"] } == ["tsv", "json", "csv", nil])
    #expect(
      resources.map { $0["profile"] } == ["tabular-data-resource", nil, "tabular-data-resource", nil])
    #expect(
      resources[0]["dialect"] == [
        "delimiter": "\t", "quoteChar": "'", "doubleQuote": .boolean(true), "header": .boolean(true),
        "skipInitialSpace": .boolean(false), "caseSensitiveHeader": .boolean(true),
      ])
    #expect(resources[2]["dialect"]?["delimiter"] == ";")
    #expect(resources[1]["dialect"] == nil)
  }

  @Test func `tags are texts in CSV and any value in JSON, and dates are times`() throws {
    let pipeline = try Pipeline(
      yaml: """
        pipeline: p
        entities:
          a:
            source: { path: a.csv }
            id: id
            attributes: { hobbies: { type: tags, separator: "|" }, born: { type: date } }
          b:
            source: { path: b.jsonl }
            id: id
            attributes: { hobbies: { type: tags }, alone: { type: category, from: hobbies } }
        """, file: "p.yaml")
    let (a, b) = (try #require(pipeline.tableSchema(of: "a")), try #require(pipeline.tableSchema(of: "b")))
    let fields = try #require(a["fields"]?.elements) + #require(b["fields"]?.elements)
    #expect(fields.map { $0["name"] } == ["id", "born", "hobbies", "id", "hobbies"])
    #expect(fields.map { $0["type"] } == ["string", "datetime", "string", "string", "any"])
    #expect(
      fields[2]["description"] == "The tags 'hobbies'. A list, or a text with '|' between tags.")
    #expect(fields[1]["description"] == "The date 'born'. A date such as 1990-05-01, or an RFC 3339 time.")
  }

  @Test func `a pattern without a match stays a pattern`() throws {
    let resources = try resources(package(ScratchDirectory()))
    #expect(resources[2]["path"] == "walks/*.csv")
  }

  @Test func `a folder that cannot be listed is an error, not an empty folder`() throws {
    let scratch = try ScratchDirectory()
    try FileManager.default.createSymbolicLink(atPath: scratch("dogs.tsv"), withDestinationPath: "dogs.tsv")
    let error = #expect(throws: ExportError.self) { _ = try package(scratch) }
    #expect(error?.code == .unreadable)
  }

  @Test func `names that differ only in case stay different`() throws {
    let source = "{ source: { path: x.csv }, id: id }"
    let resources = try resources(
      package(ScratchDirectory(), ["entities.WALKIES=\(source)", "entities.walkies=\(source)"]))
    #expect(
      resources.map { $0["name"] } == ["walkies", "dogs", "walkers", "walkies-2", "walkies-3", "stars"])
  }

  @Test func `fields have the types and constraints of the pipeline file`() throws {
    let dogs = try resources(package(ScratchDirectory()))[0]
    let fields = try #require(dogs["schema"]?["fields"]?.elements)
    #expect(
      fields.map { $0["name"] } == [
        "id", "born", "place.lat", "place.lon", "kg", "breed", "good", "call_name",
      ])
    #expect(
      fields.map { $0["type"] } == [
        "string", "integer", "number", "number", "number", "string", "boolean", "string",
      ])
    let yes = JSONValue.boolean(true)
    #expect(
      fields.map { $0["constraints"] } == [
        ["required": yes], nil, ["required": yes, "minimum": .number(47), "maximum": .number(90)],
        ["required": yes, "minimum": .number(-180), "maximum": .number(180)],
        ["minimum": .number(1), "maximum": .number(90)], ["required": yes, "unique": yes], nil, nil,
      ])
    #expect(dogs["schema"]?["missingValues"] == .array(["", "NA", "null"]))
    #expect(dogs["schema"]?["primaryKey"] == "id")
    #expect(dogs["schema"]?["uniqueKeys"] == .array([.array(["call_name", "kg"])]))
    #expect(dogs["schema"]?["fieldsMatch"] == "partial")
    #expect(dogs["schema"]?["foreignKeys"] == nil)
    let good = try field("good", in: dogs)
    #expect(good["trueValues"] == .array(["true", "True", "TRUE", "1"]))
    #expect(good["falseValues"] == .array(["false", "False", "FALSE", "0"]))
  }

  @Test func `an export of versions has no primary key`() throws {
    let walkers = try resources(package(ScratchDirectory()))[1]
    #expect(walkers["schema"]?["primaryKey"] == nil)
    #expect(walkers["schema"]?["fieldsMatch"] == "subset")
    #expect(try field("changed", in: walkers)["type"] == "datetime")
    #expect(try field("changed", in: walkers)["format"] == "any")
  }

  @Test func `interactions refer to their entities, and only mapped values are allowed`() throws {
    let resources = try resources(package(ScratchDirectory()))
    for resource in resources[2...] {
      #expect(
        resource["schema"]?["foreignKeys"]
          == .array([
            ["fields": "walker", "reference": ["resource": "walkers", "fields": "id"]],
            ["fields": "dog", "reference": ["resource": "dogs", "fields": "id"]],
          ]))
    }
    let yes = JSONValue.boolean(true)
    #expect(
      try field("verdict", in: resources[2])["constraints"]
        == ["required": yes, "enum": .array(["again", "no"])])
    #expect(try field("day", in: resources[2])["constraints"] == ["required": yes, "unique": yes])
    #expect(resources[2]["schema"]?["uniqueKeys"] == .array([.array(["walker", "dog"])]))
    #expect(
      try field("stars", in: resources[3])["constraints"]
        == ["required": yes, "minimum": .number(1), "maximum": .number(5)])
    #expect(try field("stars", in: resources[3])["type"] == "number")
  }

  @Test func `a single schema has no references to other tables`() throws {
    let scratch = try ScratchDirectory()
    let pipeline = try Pipeline(file: try scratch.write(product, to: "walkies.yaml"))
    let whole = try resources(package(scratch))
    for (name, resource) in zip(["dogs", "walkers", "Walkies", "stars"], whole) {
      var schema = try #require(resource["schema"]?.members)
      schema["foreignKeys"] = nil
      #expect(pipeline.tableSchema(of: name) == .object(schema))
    }
    #expect(pipeline.tableSchema(of: "cats") == nil)
  }

  @Test func `check-ins, requests and owners have the fields that the pipeline reads`() throws {
    let resources = try resources(
      try Pipeline(
        yaml: """
          pipeline: p
          entities:
            people:
              source: { path: people.csv }
              id: id
              attributes: { name: { type: text }, nick: { type: text } }
              expect: { unique: [[name, place], [name, nick]] }
            dogs: { source: { path: dogs.csv }, id: tag, owner: { from: by, entity: people } }
          check_ins:
            visits:
              source: { path: visits.csv, missing: ["-"] }
              id: visit
              user: { from: who, entity: people }
              at: { from: at, unit: seconds }
              position: { latitude: lat, longitude: lon }
              attributes: { place: { type: text, required: true } }
          requests:
            asks:
              source: { path: asks.csv }
              user: { from: m, entity: people }
              candidate: { from: d, entity: dogs }
              at: t
              status: { from: s, map: { "yes": accepted, "no": refused, open: pending } }
              changed: c
          """, file: "p.yaml"
      ).dataPackage { $0 })
    func shown(_ resource: JSONValue) throws -> [String] {
      try #require(resource["schema"]?["fields"]?.elements).map {
        "\($0["name"]?.stringValue ?? "") \($0["type"]?.stringValue ?? "") "
          + String(decoding: ($0["constraints"] ?? [:]).pretty, as: UTF8.self).filter { !$0.isWhitespace }
      }
    }
    #expect(resources.map { $0["name"] } == ["dogs", "people", "visits", "asks"])
    #expect(resources[1]["schema"]?["uniqueKeys"] == .array([.array(["name", "nick"])]))
    let required = #"{"required":true}"#
    #expect(try shown(resources[0]) == ["tag string \(required)", "by string \(required)"])
    #expect(
      try shown(resources[2]) == [
        "visit string \(required)", "who string \(required)", "at integer \(required)",
        #"lat number {"maximum":90,"minimum":-90,"required":true}"#,
        #"lon number {"maximum":180,"minimum":-180,"required":true}"#, "place string \(required)",
      ])
    #expect(resources[2]["schema"]?["missingValues"] == .array(["", "-"]))
    #expect(
      try shown(resources[3]) == [
        "m string \(required)", "d string \(required)",
        #"s string {"enum":["no","open","yes"],"required":true}"#, "t datetime \(required)", "c datetime {}",
      ])
    #expect(
      resources.map { $0["schema"]?["foreignKeys"]?.elements?.map { $0["fields"]?.stringValue } }
        == [["by"], nil, ["who"], ["m", "d"]])
  }

  @Test func `a column of two attributes is one field`() throws {
    let dogs = try resources(
      package(ScratchDirectory(), ["entities.dogs.attributes.tag={ type: text, from: kg }"]))[0]
    let weight = try field("kg", in: dogs)
    #expect(weight["type"] == "number")
    #expect(
      weight["description"] == "The number 'also_weight'. The text 'tag'. The number 'weight'.")
  }
}

extension JSONValue {
  fileprivate var elements: [JSONValue]? {
    guard case .array(let elements) = self else { return nil }
    return elements
  }
}

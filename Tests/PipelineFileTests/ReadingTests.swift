import Files
import Foundation
import Readers
import RunSchemas
import Testing
import TestSupport
import Text

@testable import PipelineFile

@Suite struct ReadingTests {
  @Test func `a full example is accepted`() throws {
    let fusion = try pipeline(designExample)
    #expect(fusion.name == "fusion")
    #expect(fusion.seed == 0)
    #expect(fusion.rejectLimit == 0.01)
    #expect(fusion.keepRuns == 7)
    #expect(fusion.privacy == Pipeline.Privacy(snapPrecision: 6, isDefault: false))
    let users = try #require(fusion.entity("users"))
    #expect(users.source == Pipeline.Source(paths: ["../datasets/fusion/users.json"], format: .firestore))
    #expect(users.id == "id")
    #expect(users.created == Pipeline.TimeField(from: "createdAt", unit: .milliseconds))
    #expect(users.updated?.from == "updatedAt")
    #expect(
      users.position
        == Pipeline.PositionFields.coordinates(latitude: "location.latitude", longitude: "location.longitude")
    )
    #expect(users.attributes.map(\.name) == ["business_field", "deleted", "experience_years"])
    #expect(users.attributes.map(\.type) == [.category, .flag, .number])
    #expect(users.attributes.map(\.from) == ["businessField", "deleted", "experience"])
    let swipes = try #require(fusion.interaction("swipes"))
    #expect(swipes.user == Pipeline.Reference(from: "swiper_id", entity: "users"))
    #expect(swipes.candidate == Pipeline.Reference(from: "target_id", entity: "users"))
    #expect(
      swipes.value == Pipeline.ValueField(from: "direction", map: ["right": .number(1), "left": .number(-1)]))
    #expect(
      fusion.model
        == Pipeline.Model(
          learnsFrom: "swipes", features: [.category("business_field"), .position], method: .createml))
    let partners = try #require(fusion.rankings.first)
    #expect(fusion.rankings.count == 1)
    #expect(partners.radiusInKilometers == 500)
    #expect(partners.exclusions == [.oneself, .interacted, .vetoed, .flagged("deleted")])
    #expect(partners.order == .score)
    #expect(partners.minimumScore == 0)
    #expect(partners.top == 10)
    #expect(fusion.matches == [Pipeline.MatchList(name: "matches", origin: .mutual("swipes"))])
    #expect(fusion.evaluation == Pipeline.Evaluation())
    #expect(
      fusion.publication
        == Pipeline.Publication(stores: ["sqlite:../var/fusion/serving.sqlite"], keep: 3, attributes: [:]))
  }

  @Test func `every key has its effect`() throws {
    let all = try pipeline(everyKey)
    #expect(all.seed == 7)
    #expect(all.rejectLimit == 0.02)
    #expect(all.keepRuns == 5)
    #expect(all.privacy.snapPrecision == 7)
    #expect(all.entities.map(\.name) == ["answers", "events", "people", "trees"])
    #expect(all.entity("events")?.source.format == .jsonl)
    #expect(all.entity("people")?.updated == Pipeline.TimeField(from: "updated", unit: .seconds))
    #expect(all.entity("people")?.attribute("field")?.isOptional == true)
    #expect(all.entity("people")?.attribute("age")?.from == "age")
    #expect(
      all.entity("people")?.schema.attributes == [
        "field": .category, "age": .number, "gone": .flag, "name": .text, "hobbies": .tags, "born": .date,
      ])
    #expect(all.entity("people")?.attribute("hobbies")?.separator == ",")
    #expect(all.entity("people")?.attribute("born")?.separator == ";")
    #expect(all.interaction("likes")?.source.format == .tsv)
    #expect(all.interaction("likes")?.value.numbers == ["yes": 1, "no": -1])
    #expect(
      all.model?.features == [
        .category("field"), .number("age"), .position, .distance, .bins("age", .edges([18, 30.5])),
        .geohash(precision: 4), .text("name", dimensions: 8),
        .same(Pipeline.AttributePair(user: "field", candidate: "field")),
        .difference(Pipeline.AttributePair(user: "age", candidate: "age"), isSigned: true),
        Pipeline.Feature(
          ReceivedLikeRateFeature(interaction: "likes", smoothing: 2.5, isAdjusted: false)),
        Pipeline.Feature(PopularityFeature(interaction: "likes", halfLife: 90 * 60_000)),
        .overlap(Pipeline.AttributePair(user: "hobbies", candidate: "hobbies")), .age("born"),
        .activity, .recency,
      ])
    #expect(all.rankings.map(\.name) == ["friends", "parties", "ships", "waiting"])
    #expect(all.rankings.map(\.minimumScore) == [-1, 0, 0, -.infinity])
    #expect(all.rankings.map(\.order) == [.score, .newest, .distance, .score])
    #expect(
      all.rankings.map(\.shown) == [[], [.owner], [.attribute("harbour"), .position], [.age("born")]])
    #expect(all.rankings.map(\.distanceRounding) == [.nearest, .nearest, .up, .nearest])
    #expect(all.rankings.map(\.pending) == [nil, nil, nil, .requests("asks")])
    #expect(all.rankings[3].exclusions == [.friends])
    #expect(
      all.matches == [
        .init(name: "friendships", origin: .accepted("asks")),
        .init(name: "mutuals", origin: .mutual("likes")),
      ])
    #expect(all.catalogs == [.init(name: "board", candidates: "people", by: ["field"], top: 9)])
    let asks = try #require(all.requests("asks"))
    #expect(asks.status.map == ["yes": .accepted, "no": .refused])
    #expect(asks.born == "born" && asks.minimumAge == 21 && asks.changed.from == "c")
    #expect(all.entity("people")?.source.conditions == [.init(field: "kind", values: ["person", "7"])])
    #expect(all.entity("people")?.attribute("field")?.names?.name(of: "JURA") == "Law")
    #expect(all.entity("trees")?.attribute("harbour")?.isRequired == true)
    #expect(all.entity("events")?.owner == Pipeline.Reference(from: "host", entity: "people"))
    let moorings = try #require(all.checkIns.first)
    #expect(all.entity("trees")?.checkIns == moorings)
    #expect(moorings.user == Pipeline.Reference(from: "ship", entity: "trees"))
    #expect(moorings.at == Pipeline.TimeField(from: "moored", unit: .seconds))
    #expect(moorings.position == Pipeline.PositionFields.coordinates(latitude: "lat", longitude: "lon"))
    #expect(moorings.expiresAfter == 5_400_000)
    #expect(moorings.attributes.map(\.from) == ["place"])
    #expect(moorings.expectations.newestAtMost == 86_400_000)
    #expect(try pipeline(changed("90m", "never")).checkIns.first?.expiresAfter == nil)
    #expect(try pipeline(changed("    expires_after: 90m\n", "")).checkIns.first?.expiresAfter == 86_400_000)
    var evaluation = Pipeline.Evaluation()
    (evaluation.cut, evaluation.at) = (.share(0.5), [2])
    #expect(all.evaluation == evaluation)
    #expect(
      all.publication
        == Pipeline.Publication(stores: ["sqlite:x"], keep: 2, attributes: ["people": ["field"]]))
  }

  @Test func `missing keys have defaults`() throws {
    let small = try pipeline(
      """
      pipeline: p
      entities: { u: { source: { path: u.csv }, id: id } }
      rankings: { near: { users: u, candidates: u } }
      """)
    #expect(small.rejectLimit == 0.01)
    #expect(small.keepRuns == 7)
    #expect(small.seed == 0)
    #expect(small.privacy == Pipeline.Privacy(snapPrecision: 6, isDefault: true))
    #expect(small.rankings.first?.top == 10)
    #expect(small.rankings.first?.minimumScore == 0)
    #expect(small.rankings.first?.order == .distance)
    #expect(small.rankings.first?.exclusions == [])
    #expect(small.publication == nil)
    #expect(try pipeline(changed("  keep: 2\n", "")).publication?.keep == 3)
    #expect(try pipeline(changed("    order_by: score\n", "")).rankings.first?.order == .score)
  }

  @Test func `the bundled pipeline files are accepted`() throws {
    let directory = SharedData.repository.appending(path: "pipelines")
    let files = try FileManager.default.contentsOfDirectory(atPath: directory.path).filter {
      $0.hasSuffix(".yaml")
    }
    #expect(!files.isEmpty)
    for file in files {
      let path = directory.appending(path: file).path
      let pipeline = try Pipeline(file: path)
      #expect(pipeline.directory == directory.path)
    }
  }

  @Test(arguments: [
    ("p.yaml", "../x.csv", "../x.csv"), ("pipelines/p.yaml", "../x.csv", "pipelines/../x.csv"),
    ("/a/p.yaml", "x.csv", "/a/x.csv"), ("pipelines/p.yaml", "/data/x.csv", "/data/x.csv"),
    ("/p.yaml", "x.csv", "//x.csv"), ("./p.yaml", "x.csv", "x.csv"),
  ])
  func `paths start at the file's directory`(file: String, path: String, expected: String) throws {
    #expect(try Pipeline(yaml: designExample, file: file).resolve(path) == expected)
  }

  @Test func `a file is read from disk`() throws {
    let scratch = try ScratchDirectory()
    let path = try scratch.write(designExample, to: "pipelines/fusion.yaml")
    let fusion = try Pipeline(file: path, overrides: [try Override("rankings.partners.top=3")])
    #expect(fusion.file == path)
    #expect(fusion.rankings.first?.top == 3)
    #expect(fusion.resolve("../x") == scratch("pipelines/../x"))
  }

  @Test func `the error for a missing pipeline file contains advice`() {
    let error = #expect(throws: FileError.self) { _ = try Pipeline(file: "/none/p.yaml") }
    #expect(error?.operation == .find && error?.advice == "Check the path of the pipeline file.")
  }

  @Test func `the configuration is the file as JSON`() throws {
    let value = try pipeline(
      designExample, ["rankings.partners.top=3", "model.features.0={ number: experience_years }"]
    )
    .configuration
    #expect(value["pipeline"] == "fusion")
    #expect(value["privacy"] == ["snap_positions_to": 6])
    #expect(value["interactions"]?["swipes"]?["value"]?["map"] == ["right": 1, "left": -1])
    #expect(value["evaluation"] == ["cut": .number(0.8), "at": .array([1, 3, 10])])
    #expect(value["rankings"]?["partners"]?["top"] == 3)
    #expect(
      value["rankings"]?["partners"]?["exclude"] == .array(["self", "interacted", "vetoed", "deleted"]))
    #expect(value["model"]?["features"] == .array([["number": "experience_years"], "position"]))
    #expect(
      Set(value.members.keys)
        == ["pipeline", "privacy", "entities", "interactions", "model", "rankings", "evaluation", "publish"])
  }

  @Test func `quoted scalars stay texts in the configuration`() throws {
    let value = try pipeline(changed("user:\n      from: a", "user:\n      from: \"12\"")).configuration
    #expect(value["interactions"]?["likes"]?["user"]?["from"] == "12")
    #expect(
      try pipeline(changed("    id: id", "    id: 12")).configuration["entities"]?["people"]?["id"] == 12)
  }

  @Test(arguments: [
    ("1 %", 0.01), ("1%", 0.01), ("0", 0), ("1", 1), ("100 %", 1), ("0.25", 0.25), ("\"5 %\"", 0.05),
    ("0.7 %", 0.007),
    ("2.9 %", 0.029), ("1e-3", 0.001),
  ])
  func `a share is the decimal that is written`(text: String, share: Double) throws {
    #expect(try pipeline(changed("reject_limit: 2 %", "reject_limit: \(text)")).rejectLimit == share)
  }

  @Test(arguments: [
    "-1", "1.01", "101 %", "-1 %", "%", "many", "[1]", "{ a: 1 }", "", "nan", ".inf", "nan %", "inf %",
    "1 % %",
  ])
  func `an invalid share is rejected on its line`(text: String) {
    #expect(
      mistake(changed("reject_limit: 2 %", "reject_limit: \(text)"))?.place.hasPrefix("p.yaml:3:") == true)
  }

  @Test(arguments: [
    (UInt64(0), "0"), (9_007_199_254_740_993, "9007199254740993"), (UInt64(Int64.max), "9223372036854775807"),
  ])
  func `a seed keeps all its digits`(seed: UInt64, text: String) throws {
    #expect(try pipeline(changed("seed: 7", "seed: \(text)")).seed == seed)
  }
}

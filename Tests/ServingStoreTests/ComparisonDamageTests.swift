import TestSupport
import Testing

@testable import ServingStore

/// A comparison of a store with its run reads the files of the run as carefully as a publication.
struct ComparisonDamageTests {
  private let directory: ScratchDirectory
  private let store: any ServingStore

  init() throws {
    directory = try ScratchDirectory()
    store = try StoreAddress(sqlitePath: directory.path + "/serving.sqlite").open(for: .publishing)
  }

  @Test(arguments: [
    ("near", "{\"user\":\"u1\"}\n{\"user\":\"u2\"\n", "the line must end with }"),
    ("near", "{\"user\":\"u1\"}\n{\"user\":\"u2\"}", "the last line is truncated: it has no line break"),
    ("rooms", "{\"key\":\"k\",\"id\":\"a\"}\n{\"key\":\"k\",}\n", "the line is not JSON in UTF-8"),
    ("rooms", "{\"key\":\"k\",\"id\":\"a\"}\n{\"user\":\"k\"}\n", "the line must start with "),
  ])
  func `a damaged line of the run is an error with its place`(name: String, text: String, found: String)
    throws
  {
    let lists = ["near": "{\"user\":\"u1\"}\n", "rooms": "{\"key\":\"k\",\"id\":\"a\"}\n"]
    for (list, lines) in lists { try directory.write(lines, to: "rankings/\(list)/part-00000.jsonl") }
    let rankings = RankingsPublication(
      directory: directory.path + "/rankings", pipeline: "fusion", run: 1, asOf: 1, keep: 1, lists: ["near"],
      catalogs: ["rooms"])
    try rankings.publish(to: store)
    let comparison = RankingsVerification(
      directory: rankings.directory, pipeline: "fusion", lists: ["near"], matches: [], catalogs: ["rooms"])
    #expect(try comparison.compare(with: store)?.rows == 2)
    let path = try directory.write(text, to: "rankings/\(name)/part-00000.jsonl")
    let error = try #require(throws: ServingStoreError.self) { try comparison.compare(with: store) }
    #expect(error.code == .corruptRankings && error.place?.line == 2)
    #expect(error.place?.file == path && error.found.hasPrefix(found), "\(error)")
  }
}

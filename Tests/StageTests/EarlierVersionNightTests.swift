import Columns
import Files
import Foundation
import RunSchemas
import Testing
import TestSupport
import Text

/// A person moved between two runs, and the export contains both versions.
struct EarlierVersionNightTests {
  private static let schema = EntitySchema(
    name: "people", hasPosition: true, hasUpdated: true,
    attributes: ["field": .category, "years": .number, "gone": .flag])

  private func product() throws -> SmallProduct {
    let product = try SmallProduct()
    let moved = "adaXQ,Travel,48.13,11.57,13,false,2024-03-05T00:00:00Z\n"
    try product.directory.write(SmallProduct.people + moved, to: "people.csv")
    return product
  }

  /// Returns the field of adaXQ, the number of earlier versions, and the counts `merged`, `later`
  /// and `updated_later`.
  private func ingested(_ product: SmallProduct, _ arguments: [String]) throws -> (String?, Int?, [Int?]) {
    let directory = product.directory("night")
    try? FileManager.default.removeItem(atPath: directory)
    let ended = try Program.run(
      "nightjar-ingest", [product.pipelineFile, "--run-dir", directory] + arguments)
    try #require(ended.ending == .status(0), "\(ended.errors)")
    let snapshot = try Snapshot(
      directory + "/snapshot", entities: [Self.schema], interactions: [InteractionSchema(name: "swipes")])
    let people = try #require(snapshot.entities["people"])
    let row = try #require(people.row(of: "adaXQ"))
    let field = try #require(people.categories["field"])
    let counts = snapshot.manifest.counts["sources"]?["people"]
    let accounts = ["merged", "later", "updated_later"].map { counts?[$0]?.integerValue }
    return (field.vocabulary.string(Int(field.codes[row])), people.earlier?.count, accounts)
  }

  @Test func `the version as of the given time is in force, and check counts as ingest does`() throws {
    let product = try product()
    #expect(try ingested(product, []) == ("Travel", 1, [1, 0, 0]))
    for (asOf, expected) in [
      ("2024-03-05T00:00:00Z", ("Travel", 1, [1, 0, 0])),
      ("2024-03-04T23:59:59Z", ("Technology", nil, [0, 1, 0])),
      // All eight people were updated after this time.
      ("2023-12-31T00:00:00Z", ("Travel", 1, [1, 0, 8])),
    ] as [(String, (String?, Int?, [Int?]))] {
      #expect(try ingested(product, ["--as-of", asOf]) == expected, "\(asOf)")
      let checked = try Program.run("nightjar", ["check", product.pipelineFile, "--json", "--as-of", asOf])
      try #require(checked.ending == .status(0), "\(checked.errors)")
      let report = try JSONSerialization.jsonObject(with: Data(checked.output.utf8)) as? [String: Any]
      let people = (report?["sources"] as? [[String: Any]])?.first
      #expect(people?["merged"] as? Int == expected.2[0])
      #expect(people?["later"] as? Int == expected.2[1])
    }
  }
}

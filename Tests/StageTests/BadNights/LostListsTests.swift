import Foundation
import TestSupport
import Testing

/// The exports are complete, but lists have lost their users.
struct LostListsTests {
  private let product: SmallProduct

  init() throws {
    product = try SmallProduct()
    try #require(try product.run().ending == .status(0))
  }

  private func night(_ change: String, work: String? = nil, _ options: String...) throws -> Program.Finished {
    try Program.run(
      "nightjar",
      ["run", product.pipelineFile, "--work", work ?? product.work, "--set", change] + options)
  }

  @Test func `a run whose list loses all users ends with 65, and the loss can be accepted`() throws {
    let noList = "rankings.partners.for={field: Nothing}"
    let ended = try night(noList)
    #expect(ended.ending == .status(65), "\(ended.errors)")
    #expect(
      ended.errors.contains("partners: 0 users with a candidate") && ended.errors.contains("--accept-drop"),
      "\(ended.errors)")
    let resumed = try night(noList, "--resume")
    #expect(resumed.ending == .status(65), "\(resumed.errors)")
    // In a new work directory, the run compares its lists with the store.
    let elsewhere = try night(noList, work: product.directory("other"))
    #expect(elsewhere.ending == .status(65), "\(elsewhere.errors)")
    #expect(elsewhere.errors.contains("lost too many users"), "\(elsewhere.errors)")
    let accepted = try night(noList, "--accept-drop")
    #expect(accepted.ending == .status(0), "\(accepted.errors)")
    let run = try #require(accepted.output.split(separator: "\n").last)
    let record = try String(contentsOfFile: run + "/run.json", encoding: .utf8)
    #expect(record.firstMatch(of: /"accept_drop"\s*:\s*true/) != nil)
  }

  /// The run has as many lists as the store, but they are empty.
  @Test func `empty lists count as lost in a comparison with the store`() throws {
    let ended = try night("rankings.partners.minimum_score=1000", work: product.directory("other"))
    #expect(ended.ending == .status(65) && ended.errors.contains("lost too many users"), "\(ended.errors)")
  }
}

import Files
import RunSchemas
import StageFixture
import Testing
import Text

@testable import Models

/// The text that summarizes the counts of fit.
struct FitSummaryTests {
  /// The parameter keeps the fixture's directory alive until the counts are read.
  private static func counts(of fixture: StageFixture) throws -> JSONValue {
    try Manifest(of: fixture.run + "/models").counts
  }

  @Test func `a regression of a single user is not reported as one for all users`() throws {
    let world = RatedItems(seed: 97, people: 1) { _ in 10 }
    let expected = [
      ("l2: 2", "ridge regressions, l2 2"), ("prior: everybody\nl2: 2", "one ridge regression, l2 2"),
    ]
    for (model, text) in expected {
      let counts = try Self.counts(of: try world.fitted(model))
      #expect(counts["methods"]?["cholesky"] == 1)
      #expect(FitSummary.text(counts).kind == text)
    }
  }

  @Test(arguments: [
    ("compat: createml", "createml"), ("l2: auto", "ridge"), ("prior: everybody", "everybody"),
    ("prior: population", "population"),
  ])
  func `the method is recorded`(model: String, name: String) throws {
    let world = RatedItems(seed: 98, people: 12) { _ in 4 }
    let counts = try Self.counts(of: try world.fitted(model))
    #expect(counts["method"] == .string(name))
  }
}

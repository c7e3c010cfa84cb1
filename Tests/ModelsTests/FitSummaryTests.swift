import Files
import RunSchemas
import StageFixture
import Testing
import Text

@testable import Models

/// The text that summarizes the counts of fit.
struct FitSummaryTests {
  private static func prior(_ converged: Bool, group: String = "") -> JSONValue {
    ["group": .string(group), "passes": 60, "converged": .boolean(converged)]
  }

  /// The parameter keeps the fixture's directory alive until the counts are read.
  private static func counts(of fixture: StageFixture) throws -> JSONValue {
    try Manifest(of: fixture.run + "/models").counts
  }

  @Test func `a prior that has not converged is reported, including a group's`() {
    func kind(_ prior: JSONValue...) -> String {
      FitSummary.text(["models": 3, "method": "population", "prior": .array(prior)]).kind
    }
    #expect(kind(Self.prior(true)) == "population prior, 60 passes")
    #expect(kind(Self.prior(false)) == "population prior, 60 passes; not converged")
    #expect(
      kind(Self.prior(true), Self.prior(true, group: "a")) == "population prior, 60 passes, 1 group")
    #expect(
      kind(Self.prior(true), Self.prior(false, group: "a"))
        == "population prior, 60 passes, 1 group; not converged")
  }

  @Test func `a regression of a single user is not one for all users`() throws {
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

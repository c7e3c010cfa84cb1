import Testing
import Text

@testable import RunSchemas

/// The text that summarizes the counts of fit.
@Suite struct FitSummaryTextTests {
  private static func prior(_ converged: Bool, group: String = "") -> JSONValue {
    ["group": .string(group), "passes": 60, "converged": .boolean(converged)]
  }

  private static func feature(_ name: String, _ strength: Double) -> JSONValue {
    ["feature": .string(name), "strength": .number(strength)]
  }

  @Test(
    arguments: [
      ([prior(true)], "population prior, 60 passes"),
      ([prior(false)], "population prior, 60 passes; not converged"),
      ([prior(true), prior(true, group: "a")], "population prior, 60 passes, 1 group"),
      ([prior(true), prior(false, group: "a")], "population prior, 60 passes, 1 group; not converged"),
    ] as [([JSONValue], String)])
  func `a prior that has not converged is reported, also for a group`(prior: [JSONValue], kind: String) {
    let text = FitSummary.text(["models": 3, "method": "population", "prior": .array(prior)])
    #expect(text.models == "3 models" && text.kind == kind)
  }

  @Test(
    arguments: [
      ([], "chose no feature; spread between users x1"),
      ([feature("a", 0)], "chose no feature; spread between users x1"),
      ([feature("a", 1), feature("b", 3), feature("c", 0)], "chose b, a; spread between users x1"),
      (
        [feature("a", 1), feature("b", 2), feature("c", 2), feature("d", 3)],
        "chose d, b, c and 1 other; spread between users x1"
      ),
    ] as [([JSONValue], String)])
  func `the strongest chosen features are named`(features: [JSONValue], chosen: String) {
    let text = FitSummary.text([
      "prior": .array([Self.prior(true)]), "choice": ["features": .array(features)],
    ])
    #expect(text.kind == "population prior, 60 passes; " + chosen)
  }

  @Test(
    arguments: [
      (["l2": 2, "method": "ridge"], "ridge regressions, l2 2"),
      (["l2": 2, "method": "everybody"], "one ridge regression, l2 2"),
      (["methods": ["qr": 1200, "cholesky": 3, "other": 1]], "3 Cholesky, 1 other, 1 200 QR"),
      (
        [
          "l2": 2, "words_sharing_a_column": ["tags": 1200, "job": 2],
          "bounds": ["a": ["beyond": 2], "b": [:]],
          "response_bounds": ["beyond": 1],
        ],
        "ridge regressions, l2 2; words in a shared column: 2 of job, 1 200 of tags; 3 numbers beyond the bounds"
      ),
      (["l2": 2, "bounds": ["a": ["beyond": 0]]], "ridge regressions, l2 2"),
      (
        [
          "discovery": [
            "near": [
              "popularity": .number(0.1), "half_life_seconds": 2_592_000, "half_place": 5,
              "distance": .number(0.5), "area_precision": 5,
            ],
            "all": [
              "popularity": 1, "half_life_seconds": .null, "half_place": .null, "distance": 0,
              "area_precision": .null,
            ],
          ]
        ],
        "all: popularity x1; near: popularity x0.1, half-life 30 d, half-place 5, distance exponent 0.5, areas of precision 5"
      ),
    ] as [(JSONValue, String)])
  func `the method, shared words and bounded numbers are reported`(counts: JSONValue, kind: String) {
    #expect(FitSummary.text(counts).kind == kind)
  }

  @Test func `named models are reported by name, after the unnamed one`() {
    let named: JSONValue = ["b": ["models": 2], "a": ["models": 3, "l2": 1]]
    let (models, kind) = FitSummary.text(["models": 1, "method": "ridge", "l2": 2, "by_name": named])
    #expect(models == "6 models")
    #expect(kind == "ridge regressions, l2 2; a: ridge regressions, l2 1; b: 2 models")
    let discovered: JSONValue = ["find": ["popularity": 3]]
    for own in [["method": "ridge", "l2": 2], [:]] as [[String: JSONValue]] {
      let counts = own.merging(["by_name": named, "discovery": discovered]) { own, _ in own }
      #expect(FitSummary.text(.object(counts)).kind.hasSuffix("; b: 2 models; find: popularity x3"))
    }
    let all = FitSummary.text(["models": 5, "by_name": named])
    #expect(all.models == "5 models" && all.kind == "a: ridge regressions, l2 1; b: 2 models")
  }
}

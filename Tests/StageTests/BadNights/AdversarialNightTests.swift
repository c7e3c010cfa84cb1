import Concurrency
import Foundation
import Testing
import TestSupport

/// Complete runs with adversarial numbers, from the exports to the served lists. Every number that
/// the runs write must be finite.
struct AdversarialNightTests {
  private static let learners = ["compat: createml", "prior: population", "l2: auto", "l2: 1e-9", "l2: 1"]
  private static let tally = Tally("adversarial nights", cases: learners.count)
  private static let people = 60

  /// Kinds of columns in an export. Each function returns the value for a person's number.
  private static let kinds: [@Sendable (Int, inout SplitMix64) -> String] = [
    { _, _ in "7" },
    { _, random in Self.pick(["1e100", "-1e100", "9e99", "5e99"], &random) },
    { _, random in Self.pick(["5e-324", "1e-310", "-1e-308", "0"], &random) },
    { _, random in Self.pick(["1e100", "5e-324", "-1e100", "0", "1"], &random) },
    { _, random in "\(1 + random.nextUnit() * 1e-15)" },
    { person, _ in "1000000000000000\(person)" },
    { person, _ in "\(3 * person + 1)" },
    { person, _ in "\(person)" },
    { _, _ in "-0.0" },
    { _, _ in "" },
    { person, _ in person == 3 ? "1e100" : "0" },
  ]

  private static func pick<Element>(_ choices: [Element], _ random: inout SplitMix64) -> Element {
    choices[Int.random(in: choices.indices, using: &random)]
  }

  /// The spellings of non-finite numbers in any output file.
  private static let noNumber: Set<String> = ["nan", "-nan", "inf", "-inf", "infinity", "-infinity"]

  @Test(arguments: learners) func `no output contains NaN or infinity`(learner: String) throws {
    for seed in 0..<Soak.count(2, soak: 50) {
      var random = SplitMix64(seed: UInt64(seed) << 8 | UInt64(Self.learners.firstIndex(of: learner) ?? 0))
      let product = try product(learner, &random)
      let ended = try product.run("--evaluate")
      try #require(ended.ending == .status(0), "\(learner), \(seed): \(ended.errors)")
      let explained = try Program.run(
        "nightjar", ["explain", product.pipelineFile, "--work", product.work, "--user", "p3"])
      #expect(explained.ending == .status(0), "\(learner), \(seed): \(explained.errors)")
      let shown = try Program.run("nightjar", ["show", product.pipelineFile, "--user", "p3"])
      try check(explained.output + shown.output, "what is shown, \(learner), \(seed)")
      let files = try DirectoryContents(of: product.run(1)).files
      for (name, data) in files where [".json", ".jsonl", ".csv"].contains(where: name.hasSuffix) {
        try check(String(decoding: data, as: UTF8.self), "\(name), \(learner), \(seed)")
        Self.tally.add("files checked, all numbers finite")
      }
      Self.tally.add("nights")
    }
    Self.tally.end()
  }

  private func check(_ text: String, _ place: String) throws {
    let words = text.lowercased().split { !($0.isLetter || $0 == "-") }.map(String.init)
    let found = Self.noNumber.intersection(words)
    #expect(found.isEmpty, "\(place): \(found)")
  }

  private func product(_ learner: String, _ random: inout SplitMix64) throws -> SmallProduct {
    let product = try SmallProduct()
    let columns = (0..<Int.random(in: 1...5, using: &random)).map { _ in
      Self.pick(Self.kinds, &random)
    }
    let names = columns.indices.map { "c\($0)" }
    try product.replace(
      "      years: { type: number }\n",
      by: names.map { "      \($0): { type: number }\n" }.joined())
    try product.replace(
      "    - number: years\n  compat: createml\n",
      by: "    " + names.map { "- number: \($0)\n    " }.joined().dropLast(2) + learner + "\n")
    if learner != Self.learners[0] { try product.replace("    minimum_score: 0\n", by: "") }

    var people = "id,field,lat,lon,gone,changed," + names.joined(separator: ",") + "\n"
    // In some worlds, all people are at one place, so distances are a constant column too.
    let spread = Bool.random(using: &random) ? 0.2 : 0
    for person in 0..<Self.people {
      let field = Self.pick(["a", "b", "c", ""], &random)
      let (latitude, longitude) = (52.5 + spread * random.nextUnit(), 13.4 + spread * random.nextUnit())
      let values = columns.map { $0(person, &random) }.joined(separator: ",")
      people += "p\(person),\(field),\(latitude),\(longitude),false,,\(values)\n"
    }
    try product.directory.write(people, to: "people.csv")
    var swipes = "from,to,answer,at\n"
    for number in 0..<600 {
      let (from, to) = (
        Int.random(in: 0..<Self.people, using: &random), Int.random(in: 0..<Self.people, using: &random)
      )
      guard from != to else { continue }
      let answer = Bool.random(using: &random) ? "right" : "left"
      swipes += "p\(from),p\(to),\(answer),2024-03-\(String(10 + number / 40))T10:00:00Z\n"
    }
    try product.directory.write(swipes, to: "swipes.csv")
    return product
  }
}

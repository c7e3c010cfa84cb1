import Foundation
import Testing
import TestSupport

/// The machine-readable output of a run: events, metrics and a status for schedulers.
struct RunTellingTests {
  private func run(_ product: SmallProduct, _ arguments: String...) throws -> Program.Finished {
    try Program.run("nightjar", ["run", product.pipelineFile, "--work", product.work] + arguments)
  }

  private func events(_ ended: Program.Finished) throws -> [[String: Any]] {
    try ended.errors.split(separator: "\n").map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
    }
  }

  @Test func `events are JSON, one per line, from start to end`() throws {
    let product = try SmallProduct()
    let ended = try run(product, "--log-format", "json")
    #expect(ended.ending == .status(0))
    let events = try events(ended)
    let names = events.compactMap { $0["event"] as? String }
    #expect(names.first == "run_started" && names.last == "run_finished")
    #expect(names.filter { $0 == "stage_finished" }.count == 5)
    #expect(events.allSatisfy { $0["pipeline"] as? String == "small" && $0["run"] as? Int == 1 })
    let published = try #require(
      events.last { $0["stage"] as? String == "publish" }?["published"] as? [String: Any])
    #expect(published["generation"] as? Int == 1)
    #expect(SmallProduct.secrets(in: ended.errors) == [])
  }

  @Test func `private values are found in messages, and the clock is not private`() {
    let instants =
      "{\"seconds\":0.05,\"time\":\"2026-11-24T01:53:52.535Z\"} at 2024-03-06T10:00:13Z in 13.4 s"
    #expect(SmallProduct.secrets(in: instants) == [])
    #expect(SmallProduct.secrets(in: instants + " benXQ at 52.52342, 13.39872") == ["benXQ", "52.5", "13.3"])
  }

  @Test(arguments: [
    (
      "only: { field: [Technolgy] }",
      "all 8 lists of 'partners' are empty; the most frequent reason is 'other field' (49 of 64 pairs)"
    ),
    ("for: { field: [Technolgy] }", "'partners' matches no user; check the spelling of the words in 'for'"),
    ("for: { field: [Technology] }", nil),
  ])
  func `empty lists and lists without users are reported`(condition: String, warning: String?) throws {
    let product = try SmallProduct()
    try product.replace("    within_km: 50\n", by: "    within_km: 50\n    \(condition)\n")
    let reported = try run(product)
    let events = try events(run(product, "--log-format", "json"))
    #expect(reported.ending == .status(0))
    let lines = reported.errors.split(separator: "\n").filter { $0.contains("warning") }.map(String.init)
    let messages = events.filter { $0["event"] as? String == "warning" }.compactMap {
      $0["message"] as? String
    }
    #expect(lines == (warning.map { ["  warning: \($0)"] } ?? []))
    #expect(messages == (warning.map { [$0] } ?? []))
  }

  @Test func `each warning of a stage is an event`() throws {
    let product = try SmallProduct()
    let condition = "for: { field: [Technolgy] }"
    try product.replace("    within_km: 50\n", by: "    within_km: 50\n    \(condition)\n")
    try product.replace(
      "rankings:\n",
      by:
        "rankings:\n  others: { users: people, candidates: people, exclude: [self], top: 3, \(condition) }\n")
    let events = try events(run(product, "--log-format", "json"))
    let messages = events.filter { $0["event"] as? String == "warning" }.compactMap {
      $0["message"] as? String
    }
    let ending = " matches no user; check the spelling of the words in 'for'"
    #expect(messages == ["'others'" + ending, "'partners'" + ending])
  }

  @Test func `failures are events too, including failures of a stage`() throws {
    let product = try SmallProduct()
    try product.replace("13.38761", by: "east", in: "people.csv")
    try product.replace("reject_limit: 10 %", by: "reject_limit: 1 %")
    let ended = try run(product, "--log-format", "json")
    #expect(ended.ending == .status(65))
    let found = try events(ended)
    #expect(
      found.compactMap { $0["event"] as? String } == [
        "run_started", "stage_started", "error", "stage_failed", "error",
      ])
    #expect(found.last?["status"] as? Int == 65)
    #expect((found[2]["message"] as? String)?.contains("rejected") == true, "\(found[2])")
    let misspelt = try run(product, "--log-format", "json", "--set", "rankings.partners.tpo=1")
    #expect(try events(misspelt).map { $0["status"] as? Int } == [78])
  }

  /// Returns the value of each sample by its name and labels.
  private func metrics(_ path: String) throws -> [String: Double] {
    var samples: [String: Double] = [:]
    for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    where !line.hasPrefix("#") {
      let parts = line.split(separator: " ")
      #expect(parts.count == 2 && samples[String(parts[0])] == nil, "\(line)")
      let value: Double = try #require(Double(parts[1]))
      samples[String(parts[0])] = value
    }
    return samples
  }

  @Test func `metrics are written after each run, and keep the last success`() throws {
    let product = try SmallProduct()
    let file = product.directory("nightjar.prom")
    #expect(try run(product, "--metrics", file).ending == .status(0))
    let first = try metrics(file)
    #expect(first["nightjar_run_status{pipeline=\"small\"}"] == 0)
    #expect(first["nightjar_rows{pipeline=\"small\",source=\"swipes\",outcome=\"kept\"}"] == 12)
    #expect(
      first["nightjar_served_generation{pipeline=\"small\",store=\"sqlite:serving.sqlite\"}"] != nil
        || first.keys.contains { $0.hasPrefix("nightjar_served_generation") })
    let kinds = ["full", "short", "empty"].compactMap {
      first["nightjar_lists{pipeline=\"small\",list=\"partners\",kind=\"\($0)\"}"]
    }
    #expect(kinds.count == 3 && kinds.reduce(0, +) == 8)
    let success = "nightjar_last_success_timestamp_seconds{pipeline=\"small\"}"
    let failed = try run(product, "--metrics", file, "--set", "publish.store=sqlite:/proc/none/x.sqlite")
    #expect(failed.ending == .status(69))
    let second = try metrics(file)
    #expect(second["nightjar_run_status{pipeline=\"small\"}"] == 69)
    #expect(second[success] == first[success] && first[success] != nil)
    #expect(second["nightjar_run_number{pipeline=\"small\"}"] == 2)
    // Every name must have one help line and one type line before its samples.
    let text = try String(contentsOfFile: file, encoding: .utf8)
    for name in Set(second.keys.map { String($0.prefix { $0 != "{" }) }) {
      #expect(text.components(separatedBy: "# HELP \(name) ").count == 2)
      #expect(text.components(separatedBy: "# TYPE \(name) gauge\n").count == 2)
    }
    // If the metrics file cannot be written, the run completes and reports the error.
    #expect(try run(product, "--metrics", "/proc/none/x.prom").ending == .status(73))
  }

  @Test func `a night that fails before its first stage is reported, even with a wrong pipeline file`() throws
  {
    let product = try SmallProduct()
    // Without an earlier run, the name of the pipeline is unknown.
    try product.replace("pipeline: small", by: "pipeline: [")
    let first = try run(product, "--report")
    #expect(first.ending == .status(78) && first.errors.contains("warning: the report was not written"))
    #expect(!product.directory.exists("var/reports"))
    try product.replace("pipeline: [", by: "pipeline: small")
    #expect(try run(product, "--report").ending == .status(0))
    let page = "var/reports/small.html"
    #expect(try !product.directory.text(page).contains("failed before its first stage"))
    try product.replace("pipeline: small", by: "pipeline: [")
    #expect(try run(product).ending == .status(78))
    #expect(try !product.directory.text(page).contains("failed before its first stage"))
    let second = try run(product, "--report")
    #expect(second.ending == .status(78) && second.errors.contains("  report      "), "\(second.errors)")
    for page in [page, "var/reports/index.html", "var/reports/feed.xml"] {
      #expect(try product.directory.text(page).contains("failed before its first stage"), "\(page)")
    }
    try product.replace("pipeline: [", by: "pipeline: small")
    // The next run removes the note, and its own failure follows.
    try product.replace("from,to,answer,at", by: "from,to,reply,at", in: "swipes.csv")
    #expect(try run(product, "--report").ending == .status(65))
    let last = try product.directory.text(page)
    #expect(last.contains("failed in ingest") && !last.contains("failed before its first stage"))
    #expect(SmallProduct.secrets(in: second.errors) == [])
  }

  @Test func `status 99 shows a scheduler that nothing changed`() throws {
    let product = try SmallProduct()
    #expect(try run(product, "--exit-99-if-unchanged").ending == .status(0))
    let same = try run(product, "--exit-99-if-unchanged")
    #expect(same.ending == .status(99) && same.errors.contains("unchanged"))
    #expect(try run(product).ending == .status(0))
    try product.replace("adaXQ,benXQ,right", by: "adaXQ,benXQ,left", in: "swipes.csv")
    #expect(try run(product, "--exit-99-if-unchanged").ending == .status(0))
  }
}

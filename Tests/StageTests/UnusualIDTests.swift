import Foundation
import Testing
import TestSupport

/// Ids that look like options or need quotes must work in every command with `--user`.
struct UnusualIDTests {
  private static let ids = [
    "-ada", "--help", "-h", "--version", "--", "--user", "--json", "a=b", "=", "=x", "a b", " a", "'",
    "\"q\"", "né ü",
    "ñandú", "🦉", "-1", "run", "$HOME", "a\\b", "*", "{}",
  ]

  @Test func `an empty id does not take the next argument as the id`() throws {
    let product = try SmallProduct()
    try #require(try product.run().ending == .status(0))
    let common = [product.pipelineFile, "--work", product.work]
    let commands = [
      ["erase"] + common + ["--user=", "--dry-run"], ["erase", "--user=", "--dry-run"] + common,
      ["explain"] + common + ["--user=", "--json"],
      ["explain"] + common + ["--user", "adaXQ", "--candidate=", "--json"],
      ["show"] + common + ["--user=", "--json"], ["show"] + common + ["--catalog", "c", "--key=", "--json"],
    ]
    for command in commands {
      let ended = try Program.run("nightjar", command)
      #expect(
        ended.ending == .status(64) && ended.errors.contains("must not be empty"),
        "\(command): \(ended.errors)")
    }
    #expect(!product.directory.exists("var/small/erasures"))
    let odd = try Program.run("nightjar", ["erase"] + common + ["--user", "--user=", "--dry-run"])
    #expect(odd.ending == .status(0) && odd.output.contains("not found"), "\(odd.errors)")
  }

  @Test func `every command with an id takes any id, in both forms`() throws {
    let product = try SmallProduct()
    let quoted = Self.ids.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }
    let people = quoted.map { "\($0),Technology,52.51231,13.38761,3,false,2024-01-01T00:00:00Z\n" }
    let swipes = quoted.map { "\($0),benXQ,right,2024-03-07T10:00:00Z\n" }
    try product.directory.write(SmallProduct.people + people.joined(), to: "people.csv")
    try product.directory.write(SmallProduct.swipes + swipes.joined(), to: "swipes.csv")
    try #require(try product.run().ending == .status(0))
    let common = [product.pipelineFile, "--work", product.work]
    for id in Self.ids {
      for user in [["--user=" + id], ["--user", id]] {
        let show = try Program.run("nightjar", ["show"] + common + user + ["--json"])
        let line = try #require(show.lines.first, "show \(user): \(show.errors)")
        let document = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect(document?["user"] as? String == id, "show \(user)")
        let explain = try Program.run(
          "nightjar", ["explain"] + common + user + ["--candidate", id, "--json"])
        #expect(
          explain.ending == .status(0) && explain.output.contains("\"terms\""),
          "explain \(user): \(explain.output)\(explain.errors)")
        let erase = try Program.run("nightjar", ["erase"] + common + user + ["--dry-run"])
        #expect(
          erase.ending == .status(0) && erase.output.contains("run 1")
            && !erase.output.contains("run 1: nothing"),
          "erase \(user): \(erase.output)\(erase.errors)")
      }
    }
  }
}

import Foundation
import Testing
import TestSupport
import Text

/// Runs commands on a pseudo terminal, which the program `script` provides.
@Suite(.enabled(if: Command.path(of: "script") != nil, "script is not installed"))
struct TerminalTests {
  /// Returns the output of `nightjar` on a terminal that is `width` columns wide.
  private func printed(
    _ arguments: [String], in product: SmallProduct, width: Int = 80, environment: [String] = ["TERM=xterm"]
  ) throws -> String {
    let words = [Program.products + "/nightjar"] + arguments
    let command = "stty cols \(width); exec " + words.map { "'\($0)'" }.joined(separator: " ")
    let settings = ["-u", "NO_COLOR", "SHELL=/bin/sh"] + environment
    return try Program.run(
      "/usr/bin/env", settings + ["script", "-qec", command, "/dev/null"], in: product.directory.path
    ).output
  }

  /// Returns the lines that are wider than `width`, without lines of a single word, which must not break.
  private func wideLines(_ text: String, width: Int) -> [String] {
    text.replacing(/\u{1B}\[[0-9;]*[A-Za-z]/, with: "").split(whereSeparator: \.isNewline).map(String.init)
      .filter { $0.terminalColumns > width && $0.split(separator: " ").count > 1 }
  }

  @Test(arguments: [60, 80, 120]) func `every line of every command fits the terminal`(width: Int) throws {
    let product = try SmallProduct()
    try product.replace(
      "  attributes: { people: [field] }\n",
      by: "  attributes: { people: [field] }\n  positions: { people: { exclude: [gone] } }\n")
    // A rejected row adds the table of rules to the report of the exports.
    try product.replace("adaXQ,cleoXQ,left,2024", by: "adaXQ,cleoXQ,sideways,2024", in: "swipes.csv")
    let first = "var/small/runs/1"
    for arguments in [
      ["doctor"], ["run", "--evaluate"], ["run", "--set", "rankings.partners.top=1"], ["runs"], ["check"],
      ["doctor", "--evaluate"], ["show", "--user", "hugoXQ"], ["explain", "--user", "hugoXQ"],
      ["explain", "--user", "hugoXQ", "--candidate", "adaXQ"], ["generations"], ["verify"],
      ["near", "52.5", "13.4", "--radius-km", "5"], ["evaluate", "--run-dir", first, "--show"],
      ["evaluate", "--run-dir", first, "--force"], ["report"], ["erase", "--user", "adaXQ", "--dry-run"],
      ["rollback"], ["erase", "--user", "adaXQ"], ["erase", "--user", "adaXQ", "--lift"],
    ] {
      let places = arguments[0] == "near" ? 3 : 1
      let all = arguments.prefix(places) + ["small.yaml"] + arguments.dropFirst(places)
      let text = try printed(Array(all), in: product, width: width)
      #expect(!text.isEmpty && !text.contains("Error:"), "\(arguments): \(text)")
      #expect(wideLines(text, width: width) == [], "\(arguments)")
    }
    let difference = try printed(["diff", "1", "2"], in: product, width: width)
    #expect(difference.contains("rankings.partners.top"), "\(difference)")
    #expect(wideLines(difference, width: width) == [])
  }

  @Test func `JSON and CSV are not wrapped on a terminal`() throws {
    let product = try SmallProduct()
    try #require(try product.run().ending == .status(0))
    let csv = try printed(["runs", "small.yaml", "--csv"], in: product, width: 20)
    #expect(csv.split(whereSeparator: \.isNewline).count == 2, "\(csv)")
    let json = try printed(["show", "small.yaml", "--user", "hugoXQ", "--json"], in: product, width: 20)
    #expect(json.split(whereSeparator: \.isNewline).count == 1, "\(json)")
  }

  @Test(arguments: [
    (["TERM=xterm"], true), (["TERM=dumb"], false), (["TERM=xterm", "NO_COLOR=1"], false),
  ])
  func `colors need a terminal that shows them, and NO_COLOR turns them off`(
    _ environment: [String], _ isColored: Bool
  ) throws {
    let product = try SmallProduct()
    let text = try printed(["doctor", "small.yaml"], in: product, environment: environment)
    #expect(text.contains("\u{1B}") == isColored && text.contains("ok"), "\(text)")
  }
}

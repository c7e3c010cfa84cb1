import Foundation
import Testing
import TestSupport

/// Runs a product up to the rankings. The ids, names and categories of its people are texts that
/// many programs handle wrongly.
struct NaughtyProduct: Sendable {
  /// Texts with a special meaning in CSV, JSON, SQL or spreadsheets. All of them have different
  /// bytes.
  static let texts = {
    // The first texts are in this file. The Big List of Naughty Strings follows if it is available.
    let list = "third-party/nasty/blns/blns.json"
    let shared = try? JSONDecoder().decode([String].self, from: Data(contentsOf: SharedData.url(list)))
    var seen: Set<[UInt8]> = []
    return (ours + (shared ?? [])).map(short).filter {
      !$0.isEmpty && seen.insert(Array($0.utf8)).inserted
    }
  }()

  /// Returns the start of a text that is too long for a word.
  private static func short(_ text: String) -> String {
    var text = text
    while text.utf8.count > 256 { text.unicodeScalars.removeLast() }
    return text
  }

  private static let ours = [
    "=1+1", "+1", "-1", "@SUM(A1)", "\"", "\"\"", "a\"b", "'", "it''s", "a,b", ",", "a\nb", "a\r\nb", "\r",
    "a\tb",
    " a ", "a", "A", "NULL", "null", "\\N", "\\", "a\\", "nan", "inf", "true", "0", "00", "1e5", "2024-01-01",
    "#a",
    "--", ";", "%s", "{}", "[1]", "é", "e\u{301}", "\u{FEFF}a", "\u{200B}", "\u{2028}", "\u{202E}a", "\u{1}",
    "\u{1B}[0m",
    "\u{7F}", "\u{85}", "👩‍👩‍👧", "\u{10FFFF}", "表", "'); DROP TABLE people; --", "/proc/self/fd/1", "*?[", "$1",
    "${a}",
    String(repeating: "long ", count: 500),
  ]

  let directory: ScratchDirectory
  var pipelineFile: String { directory("naughty.yaml") }
  var run: String { directory("var/naughty/runs/1") }
  var arguments: [String] { [pipelineFile, "--work", directory("var")] }

  static let shared = Result { try NaughtyProduct() }

  init() throws {
    directory = try ScratchDirectory(untilExit: true)
    let texts = Self.texts
    var people = "id,name,field,years,gone,lat,lon,born\n"
    var likes = "from,to,value,at\n"
    for (index, text) in texts.enumerated() {
      let name = texts[(index + 1) % texts.count]
      let field = index % 3 == 0 ? "" : texts[index / 5]
      people += [text, index % 4 == 0 ? "" : name, field].map(Self.quoted).joined(separator: ",")
      people += index % 2 == 0 ? ",5e-324,true,52.51,13.38,2024-02-29T12:00:00.001Z\n" : ",,,,,\n"
      for step in 1...3 {
        let other = texts[(index + step) % texts.count]
        likes += "\(Self.quoted(text)),\(Self.quoted(other)),\(step == 2 ? "-0.1" : "1"),2024-03-0\(step)\n"
        if step == 1 { likes += "\(Self.quoted(other)),\(Self.quoted(text)),2,2024-03-05T10:00:00.5Z\n" }
      }
    }
    try directory.write(people, to: "people.csv")
    try directory.write(likes, to: "likes.csv")
    try directory.write(Self.pipeline, to: "naughty.yaml")
    let ended = try Program.run("nightjar", ["run"] + arguments + ["--until", "rank"])
    try #require(ended.ending == .status(0), "\(ended.errors)")
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.unicodeScalars.map { $0 == "\"" ? "\"\"" : "\($0)" }.joined() + "\""
  }

  private static let pipeline = """
    pipeline: naughty
    as_of: newest
    entities:
      people:
        source: { path: people.csv }
        id: id
        created: born
        position: { latitude: lat, longitude: lon }
        attributes:
          name: { type: text }
          ID: { type: text, from: name }
          field: { type: category }
          years: { type: number }
          gone: { type: flag }
    interactions:
      likes:
        source: { path: likes.csv }
        user: from
        candidate: to
        at: at
        value: value
    model:
      learns_from: likes
      features: [category: { from: field, at_most_words: 900 }, number: years]
      compat: createml
    rankings:
      partners:
        users: people
        candidates: people
        exclude: [self, interacted]
        order_by: score
        minimum_score: -100
        top: 7
      matches: { mutual: likes }

    """
}

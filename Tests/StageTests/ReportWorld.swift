import Concurrency
import Foundation
import Testing
import TestSupport

/// A small product whose people have given words, for reports about unusual data.
struct ReportWorld: Sendable {
  /// What determines the swipes.
  enum Taste: Sendable {
    /// All users prefer people with every third word.
    case words
    /// No preference: every swipe is random.
    case nobody
  }

  let directory: ScratchDirectory

  /// - Parameters:
  ///   - people: The number of people.
  ///   - swipes: The number of swipes per person.
  ///   - words: The words of the category `field`, assigned in turn.
  ///   - taste: The people's preference.
  ///   - spoilt: The number of swipes with an unknown answer per valid swipe.
  /// - Throws: An error if the files cannot be written.
  init(people: Int, swipes: Int, words: [String], taste: Taste, spoilt: Double = 0) throws {
    directory = try ScratchDirectory()
    var random = SplitMix64(seed: 11)
    var table = "id,field,lat,lon,changed\n"
    for person in 0..<people {
      // Escapes scalars, because Swift treats a quotation mark and a combining accent as one character.
      let quoted = words[person % words.count].unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }
      let word = "\"" + quoted.joined() + "\""
      let place = (52.4 + 0.2 * random.nextUnit(), 13.3 + 0.2 * random.nextUnit())
      table += "person\(1_000_000 + person),\(word),\(place.0),\(place.1),2024-01-01T00:00:00Z\n"
    }
    try directory.write(table, to: "people.csv")
    var rows = "from,to,answer,at\n"
    for swipe in 0..<people * swipes {
      let (from, to) = (swipe % people, Int(random.nextUnit() * Double(people)))
      if from == to { continue }
      let isLike =
        switch taste {
        case .words: random.nextUnit() < (to % words.count % 3 == 0 ? 0.85 : 0.2)
        case .nobody: random.nextUnit() < 0.5
        }
      let at = "2024-02-\(10 + swipe * 18 / (people * swipes))T10:00:00Z"
      rows += "person\(1_000_000 + from),person\(1_000_000 + to),\(isLike ? "right" : "left"),\(at)\n"
    }
    for number in 0..<Int(Double(people * swipes) * spoilt) {
      rows += "person\(1_000_001 + number % 3),person1000000,perhaps,2024-02-10T10:00:00Z\n"
    }
    try directory.write(rows, to: "swipes.csv")
    try directory.write(Self.pipeline, to: "world.yaml")
  }

  /// Runs the pipeline with `arguments`, and writes the report; returns the page's path.
  func reported(_ arguments: [String] = ["--evaluate"], report: [String] = []) throws -> String {
    let ran = try Program.run(
      "nightjar", ["run", directory("world.yaml"), "--work", directory("var")] + arguments)
    try #require(ran.ending == .status(0), "\(ran.errors)")
    let ended = try self.report(report)
    try #require(ended.ending == .status(0), "\(ended.errors)")
    return directory("reports/world.html")
  }

  func report(_ arguments: [String]) throws -> Program.Finished {
    try Program.run(
      "nightjar-report",
      [directory("world.yaml"), "--work", directory("var"), "--out", directory("reports")] + arguments)
  }

  private static let pipeline = """
    pipeline: world
    as_of: newest
    reject_limit: 60 %
    entities:
      people:
        source: { path: people.csv }
        id: id
        updated: changed
        position: { latitude: lat, longitude: lon }
        attributes:
          field: { type: category }
    interactions:
      swipes:
        source: { path: swipes.csv }
        user: from
        candidate: to
        at: at
        value: { from: answer, map: { right: 1, left: -1 } }
    model:
      learns_from: swipes
      features:
        - category: field
      prior: population
    rankings:
      partners:
        users: people
        candidates: people
        within_km: 50
        exclude: [self, interacted]
        order_by: score
        top: 10
    publish:
      store: "sqlite:serving.sqlite"
    evaluation: { samples: 200 }

    """
}

/// Words that contain markup.
enum NaughtyWords {
  static let all = [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'; DROP TABLE users; --", "{{title}}",
    "{{{style}}}",
    "{{#sections}}", "</table></section>", "]]></title><b>", "--><!--", "&lt;b&gt; & &amp;",
    "\"\u{301} onfocus=\"x\"\u{301}",
    "<\u{338}b>\u{338}", "שָׁלוֹם עֲלֵיכֶם", "\u{202E}txt.exe\u{202C}", "👩‍👩‍👧‍👦 𝒳 ﷽", "Ṱ̺̺̕o͞ ̷i̲̬͇̪n̝̗͕v̟̜̘̦o̶̙̰̠k̖̘̟e",
    "datum.count", "[object Object]", "${7*7}", "javascript:alert(1)", "url(https://example.com/x)",
    String(repeating: "Donaudampfschiffahrtsgesellschaft", count: 5),
    "The department for the coordination of everything that nobody else wanted to coordinate, with a very long name indeed",
    "NULL",
  ]
}

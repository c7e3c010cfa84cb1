import Foundation
import Testing
import TestSupport

/// People on the equator. Their ids, names, categories and interaction values are naughty strings.
/// Every person has neighbors.
struct NaughtyNight: Sendable {
  static let list = "third-party/nasty/blns/blns.json"

  /// The Big List of Naughty Strings and additional strings, each once. The empty string is
  /// omitted.
  static let texts = NaughtyProduct.texts
  /// Each person and the person `step` places later like each other.
  static let step = 5

  let directory: ScratchDirectory
  let format: NaughtyFormat
  let ended: Program.Finished

  var pipelineFile: String { directory("night.yaml") }
  var work: String { directory("var") }
  var run: String { work + "/night/runs/1" }
  var chosen: [String] { [pipelineFile, "--work", work] }

  /// A complete run from CSV that all tests share.
  static let whole = Result { try NaughtyNight(.csv, until: "publish", untilExit: true) }

  init(_ format: NaughtyFormat, until stage: String, untilExit: Bool = false) throws {
    self.format = format
    directory = try ScratchDirectory(untilExit: untilExit)
    try Self.export.write(format, to: directory)
    try directory.write(Self.pipeline(format), to: "night.yaml")
    ended = try Program.run(
      "nightjar", ["run", directory("night.yaml"), "--work", directory("var"), "--until", stage])
    try #require(ended.ending == .status(0), "\(ended.errors)")
  }

  /// All people in the order of ids.
  static let order = texts.indices.sorted { texts[$0].utf8.lexicographicallyPrecedes(texts[$1].utf8) }
  static func name(of index: Int) -> String { texts[(index + 1) % texts.count] }
  static func field(of index: Int) -> String { texts[(index + 2) % texts.count] }

  /// The words for a like. Each word has a value, which is its number plus 1.
  ///
  /// Swift compares YAML keys as Unicode text, so only the first of two spellings of é is used. The
  /// YAML reader also removes a byte order mark from every text.
  static let words = {
    var seen: Set<String> = []
    return texts.filter { !$0.unicodeScalars.starts(with: ["\u{FEFF}"]) && seen.insert($0).inserted }
  }()
  static func word(of index: Int) -> Int { index % words.count }

  /// The export also contains a person without an id, and likes by and of this person.
  static let export = {
    var people = texts.indices.map { index in
      // Neighbors are 55 km apart.
      NaughtyExport.Person(
        id: texts[index], name: name(of: index), field: field(of: index), longitude: Double(index) / 2 - 170)
    }
    people.append(NaughtyExport.Person(id: "", name: "a", field: "a", longitude: 0))
    var likes: [NaughtyExport.Like] = []
    for index in texts.indices {
      let other = texts[(index + step) % texts.count]
      let word = words[word(of: index)]
      likes.append(.init(from: texts[index], to: other, word: word, at: "2024-03-01T00:00:00Z"))
      likes.append(.init(from: other, to: texts[index], word: word, at: "2024-03-02T00:00:00Z"))
    }
    likes.append(.init(from: "", to: texts[0], word: words[0], at: "2024-03-01T00:00:00Z"))
    likes.append(.init(from: texts[0], to: "", word: words[0], at: "2024-03-01T00:00:00Z"))
    return NaughtyExport(people: people, likes: likes)
  }()

  private static func pipeline(_ format: NaughtyFormat) -> String {
    let fields = format.fields
    let map = words.enumerated().map { "        ? \(yaml($1))\n        : \($0 + 1)\n" }.joined()
    return """
      pipeline: night
      as_of: newest
      entities:
        people:
          source: \(format.source("people"))
          id: \(fields.id)
          position: { latitude: lat, longitude: lon }
          attributes:
            name: { type: text }
            field: { type: category }
      interactions:
        likes:
          source: \(format.source("likes"))
          user: \(fields.from)
          candidate: \(fields.to)
          at: at
          value:
            from: word
            map:
      \(map)
      model:
        learns_from: likes
        features: [category: { from: field, at_most_words: 900 }]
        compat: createml
      rankings:
        near:
          users: people
          candidates: people
          within_km: 150
          exclude: [self]
          order_by: distance
          minimum_score: -100000
        liked:
          users: people
          candidates: people
          exclude: [self]
          order_by: score
          minimum_score: -100000
        matches: { mutual: likes }
      publish:
        store: "sqlite:serving.sqlite"
        attributes: { people: [name, field] }

      """
  }

  /// Encodes a string in YAML double quotes.
  private static func yaml(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { scalar in
      guard !(0x20..<0x7F).contains(scalar.value) || scalar == "\"" || scalar == "\\" else {
        return "\(scalar)"
      }
      let digits = String(scalar.value, radix: 16)
      return "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
    }
    return "\"" + scalars.joined() + "\""
  }

  /// Returns the bytes of a file of the run.
  func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: run + "/" + name)))
  }

  /// The counts of `source` in the snapshot's manifest.
  func counts(_ source: String) throws -> [String: Any] {
    try json(run + "/snapshot/manifest.json").object("counts").object("sources").object(source)
  }
}

import Concurrency
import Foundation
import TestSupport

/// A product with two people called canaries. Each of their texts contains `CANARY`, and no other
/// text does. If a file contains this word after an erasure, the erasure missed the file.
final class CanaryProduct: Sendable {
  let directory: ScratchDirectory

  static let word = "CANARY"
  static let plain = "CANARY1"
  static let hostile = "CANARY2\"\\, \n'\u{E9}</script>;--"
  static let victims = [plain, hostile]
  /// An id that is a prefix of both canaries' ids. It must not be erased.
  static let neighbour = "CANAR"

  var pipelineFile: String { directory("canary.yaml") }
  var work: String { directory("var") }

  init(stores: [String] = ["sqlite:serving.sqlite"]) throws {
    directory = try ScratchDirectory()
    try write(stores: stores)
    try write(night: 1)
  }

  func write(stores: [String]) throws {
    try directory.write(Self.pipeline(stores), to: "canary.yaml")
  }

  func nightjar(_ arguments: String...) throws -> Program.Finished {
    try Program.run("nightjar", [arguments[0], pipelineFile, "--work", work] + arguments.dropFirst())
  }

  /// The people who interact with the canaries and with others.
  private static let others = (0..<30).map { "u\($0)" } + [neighbour]

  /// Writes the exports for run number `night`: the previous exports and a few new swipes.
  func write(night: Int) throws {
    func line(_ members: [String: Any]) throws -> String {
      String(
        decoding: try JSONSerialization.data(withJSONObject: members, options: [.sortedKeys]), as: UTF8.self)
        + "\n"
    }
    var random = SplitMix64(seed: 17)
    var people = ""
    for (index, id) in (Self.others + Self.victims).enumerated() {
      let isVictim = Self.victims.contains(id)
      func own(_ text: String) -> String { isVictim ? "\(Self.word) \(text) \(index)" : text }
      let person: [String: Any] = [
        "id": id, "name": own("name"), "bio": own("likes \(index % 5) things"),
        "field": isVictim ? own("field") : ["art", "law", "tea"][index % 3],
        "tags": ["tag\(index % 4)", own("tag")], "lat": 50 + Double(index % 7) / 100,
        "lon": 8 + Double(index % 5) / 100, "years": index % 9, "changed": "2024-01-02T00:00:00Z",
      ]
      // Each canary has an earlier version with words that the newer version lacks. The row of the
      // newer version occurs twice.
      var former = person
      former["changed"] = "2024-01-01T00:00:00Z"
      former["field"] = own("former")
      people += try line(former) + line(person) + (isVictim ? line(person) : "")
    }
    // These rejected rows still refer to the canaries.
    people += try line(["id": Self.plain, "years": "CANARY years"])
    people += "{\"id\":\"CANARY1\",\"name\":\"CANARY\n"
    try directory.write(people, to: "people.jsonl")

    var swipes = ""
    func swipe(_ from: String, _ to: String, _ answer: String, _ second: Int) throws {
      let time = "2024-03-0\(1 + second / 86_400)T\(String(format: "%02d", second / 3600 % 24)):00:00Z"
      swipes += try line(["from": from, "to": to, "answer": answer, "at": time])
    }
    let everybody = Self.others + Self.victims
    for number in 0..<500 + 40 * night {
      let from = everybody.randomElement(using: &random) ?? ""
      let to = everybody.randomElement(using: &random) ?? ""
      if from != to { try swipe(from, to, number % 3 == 0 ? "left" : "right", number * 600) }
    }
    for victim in Self.victims {
      try swipe("u1", victim, "right", 500_000)
      try swipe(victim, "u1", "right", 500_000)
      try swipe("u2", victim, "CANARY answer", 1)
      try swipe(victim, victim, "right", 1)
    }
    try directory.write(swipes, to: "swipes.jsonl")
  }

  private static func pipeline(_ stores: [String]) -> String {
    """
    pipeline: canary
    as_of: 2024-03-06T18:00:00Z
    seed: 7
    privacy: { snap_positions_to: 6 }
    reject_limit: 50 %
    keep_runs: 9
    entities:
      people:
        source: { path: people.jsonl }
        id: id
        updated: changed
        position: { latitude: lat, longitude: lon }
        attributes:
          field: { type: category }
          name: { type: text }
          bio: { type: text }
          tags: { type: tags }
          years: { type: number }
    interactions:
      swipes:
        source: { path: swipes.jsonl }
        user: from
        candidate: to
        at: at
        value: { from: answer, map: { right: 1, left: -1 } }
    model:
      learns_from: swipes
      features:
        - category: field
        - position
        - number: years
      prior: population
    rankings:
      partners:
        users: people
        candidates: people
        within_km: 50
        exclude: [self]
        order_by: score
        top: 12
      nearest:
        users: people
        candidates: people
        exclude: [self]
        order_by: distance
        top: 40
      matches: { mutual: swipes }
    evaluation: { cut: 0.7, at: [5], slices: [field] }
    publish:
      store: [\(stores.map { "\"\($0)\"" }.joined(separator: ", "))]
      keep: 3
      attributes: { people: [field, name, bio, tags] }
      positions: [people]

    """
  }
}

/// Finds the files that contain a canary.
struct CanarySearch {
  /// Returns the files in `directory` whose content or name contains the word. The paths are
  /// relative and sorted.
  static func files(in directory: String, word: String = CanaryProduct.word) throws -> [String] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: directory)
    return names.filter { name in
      var isDirectory: ObjCBool = false
      let path = directory + "/" + name
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else { return false }
      let content = isDirectory.boolValue ? Data() : FileManager.default.contents(atPath: path) ?? Data()
      return name.contains(word) || content.range(of: Data(word.utf8)) != nil
    }.sorted()
  }
}

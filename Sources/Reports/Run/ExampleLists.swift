internal import Files
internal import Foundation
internal import PipelineFile
internal import Text

/// The published lists of a few users, with pseudonyms instead of ids.
struct ExampleLists {
  struct ListedCandidate {
    var rank: Int
    var candidate: String
    var score: Double?
    var distance: Double?
    var reasons: [(feature: String, contribution: Double)]
  }

  struct List {
    var user: String
    /// The word of the list; `nil` for the user's single list.
    var word: String?
    var entries: [ListedCandidate]
  }

  private var names = Pseudonyms()
  private let run: ReportedRun
  private let rare: RareWords

  /// The number of example users to divide among the rankings. Each ranking has at least one and at most
  /// three example users.
  private static let people = 6
  /// The maximum number of entries of an example.
  private static let places = 5
  /// The maximum number of random lines that are read to find users with a non-empty list.
  private static let attempts = 200

  init(_ run: ReportedRun, _ rare: RareWords) { (self.run, self.rare) = (run, rare) }

  /// Returns the lists of up to three random users of `ranking`. The digest of the run's lists is the random
  /// seed. The same run therefore gives the same users, which are unpredictable before the run.
  ///
  /// - Throws: `FileError` if the lists cannot be read or are damaged.
  mutating func lists(of ranking: Pipeline.Ranking) throws -> [List] {
    let path = "\(run.directory)/rankings/\(ranking.name)/part-00000.jsonl"
    let file = try MappedFile(checking: path)
    guard file.count > 0 else { return [] }
    var lists: [List] = []
    var starts: Set<Int> = []
    let wanted = min(3, max(1, Self.people / max(1, run.pipeline.rankings.count)))
    for attempt in 0..<Self.attempts where lists.count < wanted {
      let draw = SHA256.digest(of: Array("\(run.rankings.digest) \(ranking.name) \(attempt)".utf8))
      let place = Int((UInt64(draw.prefix(15), radix: 16) ?? 0) % UInt64(file.count))
      let (start, line) = Self.line(around: place, in: file)
      guard starts.insert(start).inserted else { continue }
      guard let value = try? JSONDecoder().decode(JSONValue.self, from: line) else {
        throw FileError(damaged: path, "a line is not valid JSON")
      }
      if let list = list(value, ranking) { lists.append(list) }
    }
    return lists
  }

  /// Returns the line that contains the byte at `place`, without its line break, and the start of the line.
  private static func line(around place: Int, in file: MappedFile) -> (start: Int, Data) {
    let bytes = Span<UInt8>(_bytes: file.bytes)
    var start = place
    while start > 0, bytes[start - 1] != 0x0A { start -= 1 }
    var line = Data()
    var index = start
    while index < bytes.count, bytes[index] != 0x0A {
      line.append(bytes[index])
      index += 1
    }
    return (start, line)
  }

  private mutating func list(_ line: JSONValue, _ ranking: Pipeline.Ranking) -> List? {
    guard let user = line["user"]?.stringValue else { return nil }
    let chosen =
      line["lists"].map { lists in
        lists.members.sorted { $0.key < $1.key }.first {
          !($0.value["recommendations"]?.elements ?? []).isEmpty
        }
        .map { ($0.key as String?, $0.value) }
      } ?? (nil, line)
    guard let (word, list) = chosen else { return nil }
    let recommendations = list["recommendations"]?.elements ?? []
    guard !recommendations.isEmpty else { return nil }
    let name = names.name(of: user, ranking.users)
    return List(
      user: name, word: word.map { shown($0, ranking) },
      entries: recommendations.prefix(Self.places).compactMap { entry in
        guard let rank = entry["rank"]?.integerValue, let candidate = entry["candidate"]?.stringValue else {
          return nil
        }
        return ListedCandidate(
          rank: rank, candidate: names.name(of: candidate, ranking.candidates),
          score: entry["score"]?.numberValue,
          distance: entry["distance_km"]?.numberValue,
          reasons: (entry["reasons"]?.elements ?? []).compactMap { reason in
            guard let feature = reason["feature"]?.stringValue,
              let contribution = reason["contribution"]?.numberValue
            else { return nil }
            return (rare.mayBeNamed(feature) ? feature : "a rare feature", contribution)
          })
      })
  }
}

extension ExampleLists {
  /// Returns the word of a list. A word of few candidates could help to identify them, so such a word is
  /// replaced by `a rare word`.
  private func shown(_ word: String, _ ranking: Pipeline.Ranking) -> String {
    rare.mayBeNamed("\(ranking.per ?? "")=\(word)") ? word : "a rare word"
  }
}

/// Pseudonyms for ids, numbered in order of appearance. A pseudonym does not depend on the id, and it has no
/// meaning outside the page.
private struct Pseudonyms {
  private var names: [String: String] = [:]

  mutating func name(of id: String, _ entity: String) -> String {
    // The line break separates the two texts unambiguously, because an entity's name contains no line break.
    let key = entity + "\n" + id
    if let name = names[key] { return name }
    let name = "\(entity.prefix(1).uppercased())\(names.count + 1)"
    names[key] = name
    return name
  }
}

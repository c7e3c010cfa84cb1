import Foundation
import Testing
import TestSupport

/// A run of Funkify on the bundled export.
struct FunkifyRun {
  private let scratch: ScratchDirectory
  let work: String
  let options: [String]
  let raw: FunkifyRaw

  var pipeline: String { SharedData.repository.appending(path: "pipelines/funkify.yaml").path }
  var path: String { work + "/funkify/runs/1" }
  var rankings: String { path + "/rankings" }

  init() throws {
    let scratch = try ScratchDirectory(untilExit: true)
    self.scratch = scratch
    work = scratch("var")
    options = ["--set", "publish.store=sqlite:\(scratch("serving.sqlite"))"]
    raw = try FunkifyRaw(SharedData.repository.appending(path: "datasets/funkify/export.json").path)
    let ended = try Program.run("nightjar", ["run", pipeline, "--work", work] + options)
    try #require(ended.ending == .status(0), "\(ended.errors)")
  }
}

/// The raw export, read and checked without product code.
struct FunkifyRaw {
  struct Musician {
    var cell: PlainGeodesy.Cell?
    var limit: Double
    var genres: Set<String>
    var wanted: Set<String>
  }

  struct Event {
    var cell: PlainGeodesy.Cell?
    var owner: String
    /// The end time in UTC without fractions (RFC 3339). Such texts sort by time.
    var over: String
    var isCancelled: Bool
  }

  static let asOf = "2026-11-15T22:30:00Z"
  static let asOfMilliseconds = 1_794_781_800_000.0

  private(set) var musicians: [String: Musician] = [:]
  private(set) var events: [String: Event] = [:]
  /// The follows and attendances after all retractions.
  private(set) var follows: [String: Set<String>] = [:]
  private(set) var attended: [String: Set<String>] = [:]
  /// The ids and times of posts by author.
  private(set) var posts: [String: [(id: String, at: Double)]] = [:]
  /// The number of likes of other people's posts.
  private(set) var likes = 0
  private(set) var comments = 0
  /// The number of log rows that retract an earlier row.
  private(set) var endings = 0

  init(_ path: String) throws {
    let data = try Data(contentsOf: URL(filePath: path))
    let tree = try #require(try JSONSerialization.jsonObject(with: data) as? [String: [String: Any]])
    for (id, row) in tree["musicians"] ?? [:] {
      let row = try #require(row as? [String: Any])
      let precision = ["street": 7, "postcode": 6][row["shows"] as? String ?? ""] ?? 5
      guard let cell = Self.cell(row, precision: precision), row["born"] as? String ?? "" < "2026-11-16"
      else { continue }
      musicians[id] = Musician(
        cell: cell, limit: row["limitKm"] as? Double ?? 50, genres: Set(row.object("genres").keys),
        wanted: Set(row.object("wanted").keys))
    }
    for (id, row) in tree["events"] ?? [:] {
      let row = try #require(row as? [String: Any])
      let (starts, created) = (row["starts"] as? String ?? "", row["createdAt"] as? Double ?? 0)
      let begin = try Date(starts, strategy: .iso8601).timeIntervalSince1970 * 1000
      guard begin >= created, let cell = Self.cell(row) else { continue }
      events[id] = Event(
        cell: cell, owner: row["organiser"] as? String ?? "", over: row["ends"] as? String ?? starts,
        isCancelled: row["cancelled"] as? Bool ?? false)
    }
    let people = Set(musicians.keys)
    (follows, endings) = try Self.settled(
      tree["follows"] ?? [:], "followed", "follow", by: people, of: people)
    attended = try Self.settled(
      tree["attendances"] ?? [:], "event", "going", by: people, of: Set(events.keys)
    ).0
    for (id, row) in tree["posts"] ?? [:] {
      let row = try #require(row as? [String: Any])
      posts[row["author"] as? String ?? "", default: []].append((id, row["createdAt"] as? Double ?? 0))
    }
    let authors = (tree["posts"] ?? [:]).compactMapValues { ($0 as? [String: Any])?["author"] as? String }
      .filter { people.contains($0.value) }
    for (post, members) in tree["likes"] ?? [:] {
      let by = (members as? [String: Any] ?? [:]).keys
      likes += by.count { user in people.contains(user) && authors[post] != nil && authors[post] != user }
    }
    for row in (tree["comments"] ?? [:]).values {
      guard let row = row as? [String: Any], let by = row["by"] as? String, people.contains(by),
        let author = (row["post"] as? String).flatMap({ authors[$0] }), author != by
      else { continue }
      comments += 1
    }
  }

  /// Returns the latest positive decisions of each person. Rows that break a rule are omitted.
  private static func settled(
    _ log: [String: Any], _ target: String, _ yes: String, by people: Set<String>, of others: Set<String>
  ) throws -> ([String: Set<String>], endings: Int) {
    var endings = 0
    var last: [[String]: (at: Double, isYes: Bool)] = [:]
    for row in log.values {
      let row = try #require(row as? [String: Any])
      let (by, other) = (row["by"] as? String ?? "", row[target] as? String ?? "")
      let (what, at) = (row["what"] as? String ?? "", row["at"] as? Double ?? 0)
      guard people.contains(by), others.contains(other), by != other, what != "perhaps" else { continue }
      if what != yes { endings += 1 }
      if let known = last[[by, other]], known.at >= at { continue }
      last[[by, other]] = (at, what == yes)
    }
    var settled: [String: Set<String>] = [:]
    for (pair, state) in last where state.isYes { settled[pair[0], default: []].insert(pair[1]) }
    return (settled, endings)
  }

  /// Returns the cell of a position, `.some(nil)` if the position is missing, or `nil` if it is invalid.
  private static func cell(_ row: [String: Any], precision: Int = 7) -> PlainGeodesy.Cell?? {
    let place = row.object("location")
    guard let latitude = place["lat"] as? Double, let longitude = place["lng"] as? Double else {
      return .some(nil)
    }
    guard abs(latitude) <= 90 else { return nil }
    return PlainGeodesy.cell(latitude: latitude, longitude: longitude, precision: precision)
  }
}

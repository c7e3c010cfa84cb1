import Foundation
import Glibc
import ServingStore
import Testing
import TestSupport

/// Two successful runs of one product in their own directory. The tests make later runs in this directory
/// fail, and compare the results byte by byte with the successful runs.
///
/// The two runs have lists of different lengths, so each publish changes the served lists.
struct BadNight: Sendable {
  /// The length of a run's lists.
  enum Length: Int, CaseIterable, Sendable {
    case tens = 10
    case threes = 3

    var other: Length { self == .tens ? .threes : .tens }
  }

  /// The directories of the stages in order.
  static let stages = ["snapshot", "index", "models", "rankings"]

  /// The programs of the stages in order.
  static let programs = [
    "nightjar-ingest", "nightjar-index", "nightjar-fit", "nightjar-rank", "nightjar-publish",
  ]

  let path: String
  let store: String
  /// The bytes of each run directory without `run.json`.
  let references: [Length: DirectoryContents]
  /// The served documents of each run by user.
  let documents: [Length: [String: [UInt8]]]

  /// Runs the pipeline twice in the directory `path`, which must outlive this value. If `store` is
  /// `nil`, the store is a file in this directory.
  init(in path: String, store: String? = nil) throws {
    self.path = path
    // The first publish has to create this directory.
    self.store = store ?? "sqlite:\(path)/stores/small/serving.sqlite"
    let exports = try BadNightExports.shared.get()
    for name in ["users.json", "swipes.csv"] {
      try FileManager.default.copyItem(atPath: exports.path + "/" + name, toPath: path + "/" + name)
    }
    try Self.pipeline.write(toFile: path + "/night.yaml", atomically: false, encoding: .utf8)
    var references: [Length: DirectoryContents] = [:]
    var documents: [Length: [String: [UInt8]]] = [:]
    for (number, length) in [Length.tens, .threes].enumerated() {
      let arguments = ["run"] + Self.chosen(path, self.store) + Self.night(length)
      let ended = try Program.run("nightjar", arguments)
      try #require(ended.ending == .status(0), "\(ended.errors)")
      let run = "\(path)/var/fusion/runs/\(number + 1)"
      references[length] = try Self.stagesContents(of: run)
      documents[length] = try Self.lists(of: run)
    }
    self.references = references
    self.documents = documents
  }

  /// The run directory of `number`.
  func run(_ number: Int) -> String { "\(path)/var/fusion/runs/\(number)" }

  var latest: String { path + "/var/fusion/latest" }
  var lock: String { path + "/var/fusion/lock" }

  /// The arguments of `nightjar run` for lists of the given length.
  func runArguments(_ length: Length) -> [String] {
    ["run"] + Self.chosen(path, store) + Self.night(length)
  }

  /// The arguments of a stage's program for the run directory `run`.
  func stageArguments(_ program: String, _ length: Length, run: String) -> [String] {
    let arguments = chosenFiles + ["--set", "rankings.partners.top=\(length.rawValue)", "--run-dir", run]
    return arguments + ["--quiet"] + (program == "nightjar-ingest" ? ["--as-of", FusionRun.newestSwipe] : [])
  }

  private var chosenFiles: [String] { Self.files(path, store) }

  private static func chosen(_ path: String, _ store: String) -> [String] {
    files(path, store) + ["--work", path + "/var"]
  }

  private static func files(_ path: String, _ store: String) -> [String] {
    [
      path + "/night.yaml", "--set", "publish.store=\(store)",
    ]
  }

  private static func night(_ length: Length) -> [String] {
    ["--set", "rankings.partners.top=\(length.rawValue)", "--as-of", FusionRun.newestSwipe]
  }

  /// Returns the files of the stages in a run directory.
  static func stagesContents(of run: String) throws -> DirectoryContents {
    var contents = try DirectoryContents(of: run)
    contents.files = contents.files.filter { name, _ in stages.contains { name.hasPrefix($0 + "/") } }
    return contents
  }

  private static func lists(of run: String) throws -> [String: [UInt8]] {
    let text = try String(contentsOfFile: run + "/rankings/partners/part-00000.jsonl", encoding: .utf8)
    var lists: [String: [UInt8]] = [:]
    for line in text.split(separator: "\n") {
      lists[try RankingsFiles.Line(json: String(line)).user] = Array(line.utf8)
    }
    return lists
  }
}

extension BadNight {
  /// A small pipeline with every kind of output. It must be fast, because it runs thousands of times.
  fileprivate static let pipeline = """
    pipeline: fusion
    as_of: newest
    seed: 42
    privacy: { snap_positions_to: 6 }
    reject_limit: 1 %
    entities:
      users:
        source: { path: users.json, format: firestore }
        id: id
        created: createdAt
        updated: updatedAt
        position: { latitude: location.latitude, longitude: location.longitude }
        attributes:
          business_field: { type: category, from: businessField }
          bio: { type: text }
          experience_years: { type: number, from: experience }
          role: { type: category }
          deleted: { type: flag }
    interactions:
      swipes:
        source: { path: swipes.csv, format: csv }
        user: swiper_id
        candidate: target_id
        at: swiped_at
        value: { from: direction, map: { right: 1, left: -1 } }
    model:
      learns_from: swipes
      features: [category: business_field, position]
      compat: createml
    rankings:
      partners:
        users: users
        candidates: users
        within_km: 500
        exclude: [self, interacted, vetoed, deleted]
        order_by: score
        minimum_score: 0
        top: 10
      matches: { mutual: swipes }
    publish:
      store: "sqlite:serving.sqlite"
      keep: 3
      attributes: { users: [business_field, role] }

    """
}

/// Small exports for these tests: 60 people and their swipes.
enum BadNightExports {
  static let shared = Result {
    let directory = try ScratchDirectory(untilExit: true)
    let ended = try Program.run(
      "nightjar",
      ["synthesize", "--users", "60", "--swipes", "450", "--seed", "11", "--out", directory.path])
    try #require(ended.ending == .status(0), "\(ended.errors)")
    return directory
  }
}

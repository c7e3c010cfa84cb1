import Concurrency
import Foundation
import GRDB
import ServingStore
import Testing
import TestSupport

/// Runs a simulated app's pipeline on a hundred consecutive nights, with a clock that the test
/// sets. A mishap happens on most nights.
///
/// If the run of a night exits with status 0, the store must serve the lists of that night: one for every
/// eligible person, with eligible people only. If it exits with another status, the status must be the
/// expected one, and the store must still serve its previous lists.
struct ManyNightsTests {
  private static let tally = Tally("many nights", cases: 1)

  @Test func `each of a hundred nights ends as it should`() throws {
    var nights = try ManyNights(seed: 20_261_125)
    var mishaps: [Mishap] = []
    var random = SplitMix64(seed: 3)
    for night in 0..<Soak.count(100, soak: 1_000) {
      if mishaps.isEmpty { mishaps = Mishap.allCases.shuffled(using: &random) }
      // The first nights have no mishap, so later nights have runs for comparisons.
      let mishap = night < 3 ? .none : mishaps.removeLast()
      let wrongs = try nights.live(mishap)
      #expect(wrongs.isEmpty, "night \(night), \(mishap): \(wrongs.joined(separator: "; "))")
      Self.tally.add(mishap.status == 0 ? "good nights" : "refused nights")
    }
    Self.tally.end()
  }
}

/// The nights of a simulated app in one directory.
struct ManyNights {
  private let directory: ScratchDirectory
  private var app: SimulatedApp
  private var served: [String: [String]] = [:]
  /// Copies of the store after successful nights, oldest first.
  private var dumps: [Data] = []
  private var random: SplitMix64
  /// The longest duration of a run so far, in microseconds.
  private var longest: UInt32 = 100_000

  init(seed: UInt64) throws {
    directory = try ScratchDirectory()
    random = SplitMix64(seed: seed)
    app = SimulatedApp(seed: seed, from: Date(timeIntervalSince1970: 1_767_225_600), people: 70)
    try directory.write(Self.pipeline, to: "app.yaml")
  }

  private var work: String { directory("var") }
  private var store: String { directory("serving.sqlite") }

  /// Simulates one day, writes the exports and runs the pipeline.
  ///
  /// - Returns: The violations that were found. Empty if there are none.
  mutating func live(_ mishap: Mishap) throws -> [String] {
    app.liveOneDay()
    try directory.write(app.peopleCSV, to: "people.csv")
    try directory.write(app.swipesCSV, to: "swipes.csv")
    try directory.write("", to: "_SUCCESS")
    try mishap.spoil(app, in: directory)
    var wrongs = try prepare(mishap)
    let ended = try run(mishap)
    let expected = Program.Ending.status(mishap.status)
    if ended.ending != expected { wrongs.append("ended with \(ended.ending): \(ended.errors)") }
    if mishap.status == 0, ended.ending == expected {
      wrongs += try goodNightWrongs()
    } else {
      wrongs += mishap.wrongs(in: ended.errors)
      let now = try lists()
      if now != served { wrongs.append("a failed night changed what is served") }
      served = now
    }
    return wrongs
  }

  private mutating func prepare(_ mishap: Mishap) throws -> [String] {
    switch mishap {
    case .erasure:
      guard let id = app.erasedPerson() else { return ["there is no person left to erase"] }
      let ended = try nightjar(["erase", directory("app.yaml"), "--work", work, "--user", id])
      return ended.ending == .status(0) ? [] : ["erase ended with \(ended.ending): \(ended.errors)"]
    case .lostStore:
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store + suffix) }
    case .oldStore:
      for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store + suffix) }
      if let dump = dumps.first { try directory.write(dump, to: "serving.sqlite") }
    case .damagedRun:
      let latest = work + "/app/latest/snapshot/interactions/swipes/candidate.npy"
      var bytes = try Data(contentsOf: URL(filePath: latest))
      bytes[bytes.count - 3] ^= 4
      try bytes.write(to: URL(filePath: latest))
      defer {
        // Later erasures must be able to read the run, so the change is undone.
        bytes[bytes.count - 3] ^= 4
        try? bytes.write(to: URL(filePath: latest))
      }
      let ended = try nightjar(["run", directory("app.yaml"), "--work", work, "--from", "rank"])
      if ended.ending != .status(74) || !ended.errors.contains("candidate.npy") {
        return ["a run from a damaged snapshot ended with \(ended.ending): \(ended.errors)"]
      }
    default: break
    }
    return []
  }

  private mutating func run(_ mishap: Mishap) throws -> Program.Finished {
    let arguments =
      ["run", directory("app.yaml"), "--work", work] + mishap.settings.flatMap { ["--set", $0] }
    switch mishap {
    case .killed:
      let program = try Program.start(
        "/usr/bin/env", environment(app.now) + [Program.products + "/nightjar"] + arguments)
      usleep(UInt32.random(in: 0...longest, using: &random))
      program.kill()
      let ended = program.wait()
      if case .status = ended.ending { return ended }
      // A run that was killed before it had a directory cannot be resumed.
      let resumed = try nightjar(arguments + ["--resume"])
      return resumed.ending == .status(66) ? try nightjar(arguments) : resumed
    case .changedStore:
      let first = try nightjar(arguments)
      guard first.ending == .status(0) else { return first }
      let database = try DatabaseQueue(path: store)
      try database.write { try $0.execute(sql: "UPDATE lists SET document = '{}'") }
      try database.close()
      return try nightjar(arguments)
    case .clockOfLastYear: return try nightjar(arguments, at: app.now - 365 * 86_400)
    case .clockOfNextYear: return try nightjar(arguments, at: app.now + 365 * 86_400)
    case .unchangedExports:
      let first = try nightjar(arguments)
      return first.ending == .status(0) ? try nightjar(arguments) : first
    default:
      let start = ContinuousClock.now
      let ended = try nightjar(arguments)
      let time = (ContinuousClock.now - start) / .microseconds(1)
      if ended.ending == .status(0) { longest = max(longest, UInt32(time)) }
      return ended
    }
  }

  private func nightjar(_ arguments: [String], at time: Date? = nil) throws -> Program.Finished {
    try Program.run(
      "/usr/bin/env", environment(time ?? app.now) + [Program.products + "/nightjar"] + arguments)
  }

  private func environment(_ time: Date) -> [String] {
    ["NIGHTJAR_NOW=\(time.formatted(.iso8601))"]
  }

  /// Returns the faults in the served data after a run with status 0.
  private mutating func goodNightWrongs() throws -> [String] {
    served = try lists()
    dumps.append(try Data(contentsOf: URL(filePath: store)))
    dumps = dumps.suffix(5)
    var wrongs: [String] = []
    let candidates = app.candidates
    for (user, allowed) in candidates {
      guard let list = served[user] else {
        wrongs.append("\(user) has no list")
        continue
      }
      if !Set(list).isSubset(of: allowed) {
        wrongs.append("\(user) sees \(Set(list).subtracting(allowed).sorted())")
      }
      if list.count != min(10, allowed.count) || Set(list).count != list.count {
        wrongs.append("\(user) has \(list.count) of \(min(10, allowed.count)) candidates")
      }
    }
    // A mishap may have added rows, whose ids may have lists. People who left or were erased must
    // not have lists.
    let strangers = Set(served.keys).subtracting(candidates.keys).subtracting(["huge"])
    if !strangers.isEmpty { wrongs.append("lists of people who are not in the app: \(strangers.sorted())") }
    return wrongs
  }

  /// Returns the candidates of each served list by user.
  private func lists() throws -> [String: [String]] {
    guard directory.exists("serving.sqlite") else { return [:] }
    return try StoreAddress(parsing: "sqlite:" + store, relativeTo: "/").open(for: .reading).read(
      pipeline: "app"
    ) {
      generation in
      var lists: [String: [String]] = [:]
      for user in app.everyID + ["huge", "null", "broken"] {
        guard let document = try generation.document(list: "partners", user: StoredID(user)) else { continue }
        let line = try RankingsFiles.Line(json: String(decoding: document, as: UTF8.self))
        lists[user] = line.recommendations.map(\.candidate)
      }
      return lists
    } ?? [:]
  }
}

extension ManyNights {
  private static let pipeline = """
    pipeline: app
    as_of: clock
    privacy: { snap_positions_to: 6 }
    reject_limit: 5 %
    entities:
      people:
        source: { path: people.csv }
        id: id
        updated: changed
        position: { latitude: lat, longitude: lon }
        attributes:
          field: { type: category }
          years: { type: number }
          gone: { type: flag }
    interactions:
      swipes:
        source: { path: swipes.csv }
        user: from
        candidate: to
        at: at
        value: { from: answer, map: { right: 1, left: -1 } }
        expect: { newest_at_most: 36h, complete: { marker: _SUCCESS } }
    model:
      learns_from: swipes
      features:
        - category: field
        - number: years
        - distance
      prior: population
    rankings:
      partners:
        users: people
        candidates: people
        within_km: 100
        exclude: [self, interacted, vetoed, gone]
        order_by: score
        top: 10
    publish:
      store: "sqlite:serving.sqlite"
      keep: 3

    """
}

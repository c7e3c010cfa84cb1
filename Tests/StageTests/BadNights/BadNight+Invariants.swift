import Foundation
import Glibc
import ServingStore
import Testing
import TestSupport

/// Invariants after any failure. This process reads the files and the store to check them.
extension BadNight {
  /// The violated invariants. Empty if all invariants hold.
  struct Wrongs: CustomStringConvertible {
    var texts: [String] = []
    var isEmpty: Bool { texts.isEmpty }
    var description: String { texts.joined(separator: "; ") }

    mutating func require(_ holds: Bool, _ text: @autoclosure () -> String) {
      if !holds { texts.append(text()) }
    }
  }

  /// Waits until all writing processes have ended. They hold a lock on the file `lock`.
  func waitForTheDead(lock: String) throws {
    let file = open(lock, O_RDWR | O_CLOEXEC)
    guard file >= 0 else { return }
    defer { close(file) }
    let clock = ContinuousClock()
    let limit = clock.now + .seconds(60)
    while flock(file, LOCK_EX | LOCK_NB) != 0 {
      try #require(clock.now < limit, "a process of the run still runs")
      usleep(200)
    }
  }

  /// Checks that each stage of run `number` is missing or complete, that `latest` points to a
  /// complete run, and that the store serves one complete generation.
  ///
  /// - Parameters:
  ///   - number: The run.
  ///   - length: The length of the run's lists.
  ///   - lengths: The lengths of lists that may be served.
  ///   - isWhole: Whether the run of `latest` must have all stages. False if a test removed a
  ///     stage.
  /// - Returns: The violations.
  /// - Throws: An error if the store cannot be read.
  func wrongs(run number: Int, _ length: Length, served lengths: [Length], isWhole: Bool = true) throws
    -> Wrongs
  {
    var wrongs = stagesWrongs(run: number, length)
    latestWrongs(&wrongs, isWhole: isWhole)
    let found = try served()
    wrongs.require(
      lengths.contains { documents[$0] == found },
      "the served lists belong to no complete run: \(found?.count ?? 0) lists")
    return wrongs
  }

  /// Checks that each stage directory of run `number` is missing or equals the directory of the
  /// successful run.
  func stagesWrongs(run number: Int, _ length: Length) -> Wrongs {
    var wrongs = Wrongs()
    let directory = run(number)
    guard FileManager.default.fileExists(atPath: directory) else { return wrongs }
    for stage in Self.stages where FileManager.default.fileExists(atPath: "\(directory)/\(stage)") {
      let differing = differences(of: stage, in: directory, length)
      wrongs.require(differing == [], "\(stage) of run \(number) is neither missing nor whole: \(differing)")
    }
    return wrongs
  }

  /// Returns the files of a stage that differ from the files of the successful run.
  func differences(of stage: String, in run: String, _ length: Length) -> [String] {
    guard let reference = references[length], var found = try? DirectoryContents(of: "\(run)/\(stage)") else {
      return ["unreadable"]
    }
    found.files = Dictionary(uniqueKeysWithValues: found.files.map { ("\(stage)/\($0)", $1) })
    var expected = reference
    expected.files = reference.files.filter { name, _ in name.hasPrefix(stage + "/") }
    return found.differences(from: expected)
  }

  /// The numbers of all runs in ascending order.
  var numbers: [Int] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: path + "/var/fusion/runs")
    return (names ?? []).compactMap { Int($0) }.sorted()
  }

  /// The run that `latest` links to.
  var latestNumber: Int? {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: latest))?.split(separator: "/").last
      .flatMap { Int($0) }
  }

  func isComplete(_ number: Int) -> Bool {
    (try? json(run(number) + "/run.json"))?["complete"] as? Bool == true
  }

  /// Returns the program of the first missing stage of run `number`. If no stage is missing, returns
  /// the program that publishes.
  func missingStage(_ number: Int) -> String {
    let missing = Self.stages.firstIndex {
      !FileManager.default.fileExists(atPath: run(number) + "/" + $0)
    }
    return Self.programs[missing ?? Self.stages.count]
  }

  /// Returns files in and beside run directories that a completed run should not leave.
  func leftovers() throws -> [String] {
    var names = try FileManager.default.contentsOfDirectory(atPath: path + "/var/fusion")
    for number in numbers { names += try FileManager.default.contentsOfDirectory(atPath: run(number)) }
    return names.filter { $0.hasPrefix(".") || $0.contains(".partial") }.sorted()
  }

  /// The path of the store, if it is a file.
  var storeFile: String? { store.hasPrefix("sqlite:") ? String(store.dropFirst("sqlite:".count)) : nil }

  /// Removes the lock of a killed publisher. Otherwise Redis would keep it for half a minute.
  func endLockOfTheDead() throws {
    guard store.hasPrefix("redis:"), let database = store.split(separator: "/").last.flatMap({ Int($0) })
    else { return }
    _ = try RedisServer.run(["DEL", "nightjar:{fusion}:lock"], database: database)
  }

  /// Whether the rankings of run `number` have the given length.
  func isOf(_ length: Length, _ number: Int) -> Bool {
    differences(of: "rankings", in: run(number), length) == []
  }

  private func latestWrongs(_ wrongs: inout Wrongs, isWhole: Bool) {
    guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: latest) else {
      return wrongs.require(false, "there is no 'latest'")
    }
    let record = try? json("\(path)/var/fusion/\(target)/run.json")
    wrongs.require(record?["complete"] as? Bool == true, "'latest' leads to \(target), which is not complete")
    for stage in Self.stages where isWhole {
      wrongs.require(
        FileManager.default.fileExists(atPath: latest + "/" + stage), "'latest' has no \(stage)")
    }
  }

  /// Reads all lists in one transaction, by user. Returns `nil` if no generation is served.
  func served() throws -> [String: [UInt8]]? {
    let store = try StoreAddress(parsing: store, relativeTo: "/").open(for: .reading)
    let users = documents[.tens, default: [:]].keys
    return try store.read(pipeline: "fusion") { generation in
      var lists: [String: [UInt8]] = [:]
      for user in users {
        lists[user] = try generation.document(list: "partners", user: StoredID(user))
      }
      return lists
    }
  }
}

import Concurrency
import Foundation
import Glibc
import ServingStore
import Testing
import TestSupport

/// Kills processes at random times. After each kill, it checks the remaining files and the result
/// of the next run.
///
/// The time of the kill is at most 1.1 times the usual duration of the program. For half of the stages, the
/// killer first waits for the stage's hidden directory. Otherwise most kills would hit a program that is
/// still loading.
struct Killer {
  let night: BadNight
  let tally: Tally
  var random: SplitMix64
  /// The number of processes that were killed before they ended.
  private(set) var landed = 0
  /// The length of the served lists.
  private var served = BadNight.Length.threes
  /// The list length of the newest run of `nightjar run`. Publish on its own serves other runs.
  private var newest = BadNight.Length.threes
  /// The usual duration of each program in seconds.
  private var durations: [String: Double] = [:]

  init(_ night: BadNight, _ tally: Tally, seed: UInt64) throws {
    (self.night, self.tally) = (night, tally)
    random = SplitMix64(seed: seed)
    // Copies of the runs for stages that are started individually.
    for (number, _) in BadNight.Length.allCases.enumerated() {
      try FileManager.default.createDirectory(
        atPath: night.path + "/alone/runs", withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        atPath: night.run(number + 1), toPath: night.path + "/alone/runs/\(number + 1)")
    }
  }

  private func alone(_ length: BadNight.Length) -> String {
    night.path + "/alone/runs/" + (length == .tens ? "1" : "2")
  }

  /// Tries to kill a stage that is started individually.
  mutating func strikeStage() throws {
    let place = Int.random(in: 0..<BadNight.stages.count, using: &random)
    let (program, stage) = (BadNight.programs[place], BadNight.stages[place])
    let length = BadNight.Length.allCases.randomElement(using: &random) ?? .tens
    let run = alone(length)
    try FileManager.default.removeItem(atPath: "\(run)/\(stage)")
    let arguments = night.stageArguments(program, length, run: run)
    let sign = Bool.random(using: &random) ? "\(run)/.\(stage).partial" : nil
    let ended = try killed(program, arguments, after: sign)
    try night.waitForTheDead(lock: night.path + "/alone/lock")
    let isAvailable = FileManager.default.fileExists(atPath: "\(run)/\(stage)")
    if ended.ending == .signal(SIGKILL) {
      hit(program)
      for other in BadNight.stages where other != stage || isAvailable {
        #expect(night.differences(of: other, in: run, length) == [], "\(other), \(program) was killed")
      }
      if !isAvailable {
        tally.add("left no stage directory")
        try again(program, arguments)
        tally.add("run again with the same bytes")
      }
    } else {
      #expect(ended.ending == .status(0), "\(ended.errors)")
    }
    #expect(night.differences(of: stage, in: run, length) == [], "\(program) wrote other bytes")
    let hidden = try FileManager.default.contentsOfDirectory(atPath: run).filter { $0.hasPrefix(".") }
    #expect(hidden == [])
  }

  /// Tries to kill publish.
  mutating func strikePublish() throws {
    let length = served.other
    let arguments = night.stageArguments("nightjar-publish", length, run: alone(length))
    let ended = try killed("nightjar-publish", arguments, after: nil)
    try night.endLockOfTheDead()
    if ended.ending == .signal(SIGKILL) {
      hit("nightjar-publish")
      let found = try night.served()
      #expect(
        found == night.documents[served] || found == night.documents[length],
        "\(found?.count ?? 0) lists are served that belong to no single run")
      try again("nightjar-publish", arguments)
      tally.add("run again with the same bytes")
    } else {
      #expect(ended.ending == .status(0), "\(ended.errors)")
    }
    #expect(try night.served() == night.documents[length])
    served = length
  }

  /// Tries to kill the publish that creates the store.
  mutating func strikeFirstPublish() throws {
    guard let file = night.storeFile else { return }
    for name in [file, file + "-wal", file + "-shm", file + "-journal"]
    where FileManager.default.fileExists(atPath: name) {
      try FileManager.default.removeItem(atPath: name)
    }
    let arguments = night.stageArguments("nightjar-publish", served, run: alone(served))
    let ended = try killed("nightjar-publish", arguments, after: nil)
    if ended.ending == .signal(SIGKILL) {
      hit("first nightjar-publish")
      // No generation was served before, so a reader may fail until the store exists.
      do {
        let found = try night.served()
        #expect(found == nil || found == night.documents[served], "the store serves an incomplete generation")
      } catch let error as ServingStoreError {
        #expect([.absent, .cannotOpen].contains(error.code), "\(error)")
      }
      try again("nightjar-publish", arguments)
      tally.add("run again with the same bytes")
    } else {
      #expect(ended.ending == .status(0), "\(ended.errors)")
    }
    #expect(try night.served() == night.documents[served])
  }

  /// Tries to kill `nightjar run`. Its stages must die with it.
  mutating func strikeRun() throws {
    let (before, length) = (served, served.other)
    let numbers = night.numbers
    let ended = try killed("nightjar", night.runArguments(length), after: nil)
    try night.waitForTheDead(lock: night.lock)
    var number = night.numbers.last ?? 0
    guard ended.ending == .signal(SIGKILL) else {
      #expect(ended.ending == .status(0), "\(ended.errors)")
      return try expectDone(number, length)
    }
    hit("nightjar run" + (number == numbers.last ? "" : ", in " + night.missingStage(number)))
    // If the run was killed before it had a number, the newest run is the previous one.
    let made = number == numbers.last ? newest : length
    let wrongs = try night.wrongs(run: number, made, served: [before, length])
    #expect(wrongs.isEmpty, "run \(number): \(wrongs)")
    let isResumed = number != numbers.last && !night.isComplete(number) && Bool.random(using: &random)
    try again("nightjar", night.runArguments(length) + (isResumed ? ["--resume"] : []))
    tally.add(isResumed ? "resumed with the same bytes" : "run again with the same bytes")
    number = night.numbers.last ?? 0
    try expectDone(number, length)
  }

  /// Expects that run `number` is complete, is the latest run, is served, and equals the successful
  /// run. No files of other runs may be left.
  private mutating func expectDone(_ number: Int, _ length: BadNight.Length) throws {
    for stage in BadNight.stages {
      #expect(night.differences(of: stage, in: night.run(number), length) == [], "\(stage) of run \(number)")
    }
    let wrongs = try night.wrongs(run: number, length, served: [length])
    #expect(wrongs.isEmpty, "\(wrongs)")
    #expect(night.latestNumber == number)
    #expect(try night.leftovers() == [])
    (served, newest) = (length, length)
  }

  private mutating func hit(_ victim: String) {
    landed += 1
    tally.add("ended by the kill")
    tally.add(victim)
  }

  /// Starts `program`, kills it at a random time, and waits for its end.
  private mutating func killed(_ program: String, _ arguments: [String], after sign: String?) throws
    -> Program.Finished
  {
    // Until a run has succeeded, this uses a default duration.
    let typical = durations[program] ?? 0.5
    let part = random.nextUnit()
    let running = try Program.start(program, arguments)
    if let sign {
      while running.isRunning, !FileManager.default.fileExists(atPath: sign) { usleep(100) }
      usleep(UInt32(part * part * typical * 3e5))
    } else {
      usleep(UInt32(part * typical * 1.1e6))
    }
    running.kill()
    tally.add("tries")
    return running.wait()
  }

  /// Runs `program` to its end and requires status 0.
  private mutating func again(_ program: String, _ arguments: [String]) throws {
    let clock = ContinuousClock()
    let start = clock.now
    let ended = try Program.run(program, arguments)
    try #require(ended.ending == .status(0), "\(program) after a kill: \(ended.errors)")
    let seconds = start.duration(to: clock.now) / .seconds(1)
    durations[program] = durations[program].map { 0.8 * $0 + 0.2 * seconds } ?? seconds
  }
}

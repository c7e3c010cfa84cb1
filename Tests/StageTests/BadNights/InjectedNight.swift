import Foundation
import Testing
import TestSupport

/// Runs one program of the product repeatedly, each time with a fault at one system call.
struct InjectedNight {
  typealias Point = TracedProgram.Point
  typealias Fault = TracedProgram.Fault

  let night: BadNight
  let program: String
  /// The run that is served, if the program is publish.
  private var served = BadNight.Length.threes
  /// The run directory in which a stage writes. It is a copy of the second run's directory.
  private let run: String

  init(_ night: BadNight, _ program: String) throws {
    (self.night, self.program) = (night, program)
    run = night.path + "/alone/runs/2"
    try FileManager.default.createDirectory(
      atPath: night.path + "/alone/runs", withIntermediateDirectories: true)
    for number in 1...2 {
      try FileManager.default.copyItem(
        atPath: night.run(number), toPath: night.path + "/alone/runs/\(number)")
    }
  }

  private var isLoader: Bool { program == "nightjar-publish" }
  private var isRun: Bool { program == "nightjar" }

  /// The directory that the program writes, or `nil` for publish and for a whole run.
  private var stage: String? {
    BadNight.programs.firstIndex(of: program).flatMap {
      $0 < BadNight.stages.count ? BadNight.stages[$0] : nil
    }
  }

  private var length: BadNight.Length { isLoader ? served.other : .threes }

  private var arguments: [String] {
    if isRun {
      return night.runArguments(.threes) + ["--from", "publish", "--metrics", night.path + "/metrics.prom"]
    }
    let run = night.path + "/alone/runs/" + (length == .tens ? "1" : "2")
    return night.stageArguments(program, length, run: run)
  }

  /// Returns the system calls that write output, in a run without faults.
  mutating func points() throws -> [Point] {
    try prepare()
    let (points, ended) = try TracedProgram.points(program, arguments, under: night.path)
    try #require(ended.ending == .status(0), "\(ended.errors)")
    if isLoader { served = served.other }
    // The stages that a run starts have their own test cases.
    return points.filter { !isRun || !$0.path.hasPrefix(night.path + "/stores") }
  }

  /// Prepares the state before the program writes. The stage is missing, and a dead process has
  /// left a part of it.
  private func prepare() throws {
    let files = FileManager.default
    if let stage {
      try? files.removeItem(atPath: "\(run)/\(stage)")
      try files.createDirectory(atPath: "\(run)/.\(stage).partial", withIntermediateDirectories: true)
      try Data("half".utf8).write(to: URL(filePath: "\(run)/.\(stage).partial/manifest.json"))
    } else if isRun {
      for number in night.numbers where number > 2 { try files.removeItem(atPath: night.run(number)) }
      try? files.removeItem(atPath: night.latest)
      try files.createSymbolicLink(atPath: night.latest, withDestinationPath: "runs/2")
    }
  }

  /// Injects `fault` at `point` and checks the remaining files and the next run.
  ///
  /// - Returns: Whether the program reached the point.
  mutating func check(_ point: Point, _ fault: Fault) throws -> Bool {
    try prepare()
    let outcome = try TracedProgram.run(program, arguments, fault, at: point)
    try night.waitForTheDead(lock: night.path + (isRun ? "/var/fusion/lock" : "/alone/lock"))
    let what = Comment(rawValue: "\(program): \(fault.name) at \(point.testDescription)")
    let ended = outcome.ended
    switch fault {
    case .kill: #expect(ended.ending == (outcome.hasFired ? .signal(9) : .status(0)), what)
    case .error(let name):
      if outcome.hasFired {
        expectRightEnding(ended, name, point, what)
      } else {
        #expect(ended.ending == .status(0), what)
      }
    }
    try expectWhole(ended.ending == .status(0), what)
    try again(what)
    return outcome.hasFired
  }

  /// Expects that every existing output is complete. If the program reported success, all outputs
  /// must exist.
  private func expectWhole(_ isDone: Bool, _ what: Comment) throws {
    if let stage {
      for other in BadNight.stages {
        let isAvailable = FileManager.default.fileExists(atPath: "\(run)/\(other)")
        #expect(isAvailable || other == stage && !isDone, what)
        if isAvailable { #expect(night.differences(of: other, in: run, .threes) == [], what) }
      }
    } else if isLoader {
      let found = try night.served()
      #expect(found == night.documents[length] || !isDone && found == night.documents[served], what)
    } else {
      let wrongs = try night.wrongs(run: 3, .threes, served: [.threes])
      #expect(wrongs.isEmpty, "\(what): \(wrongs)")
      #expect(night.latestNumber == 3 || !isDone && night.latestNumber == 2, what)
    }
  }

  /// Runs the program without a fault.
  private mutating func again(_ what: Comment) throws {
    if let stage {
      if !FileManager.default.fileExists(atPath: "\(run)/\(stage)") {
        let ended = try Program.run(program, arguments)
        #expect(ended.ending == .status(0), "after \(what): \(ended.errors)")
      }
      #expect(night.differences(of: stage, in: run, .threes) == [], what)
      let hidden = try FileManager.default.contentsOfDirectory(atPath: run).filter { $0.hasPrefix(".") }
      // A complete stage may leave a directory that it could not remove. The next run removes it.
      #expect(hidden == [], what)
    } else {
      let ended = try Program.run(program, arguments)
      #expect(ended.ending == .status(0), "after \(what): \(ended.errors)")
      if isLoader { served = served.other }
      #expect(try night.served() == night.documents[served], what)
      if isRun { #expect(try night.leftovers() == [], what) }
    }
  }

  /// Expects the status of an output error and a message with the path. Status 0 is also valid if
  /// the fault loses no data.
  private func expectRightEnding(
    _ ended: Program.Finished, _ error: String, _ point: Point, _ what: Comment
  ) {
    let reported = Comment(rawValue: "\(what): \(ended.ending), \(ended.errors)")
    let isSync = ["fsync", "fdatasync"].contains(point.call)
    // During publish, SQLite makes the system calls and tolerates some failures. The run can then
    // succeed, and the test checks the served lists.
    let mayGoOn =
      isLoader || Self.isHint(point) || error == "EINTR" && !isSync
    if ended.ending == .status(0) {
      #expect(mayGoOn, reported)
      return
    }
    let isWritten = point.call == "write" && error == "EINTR" && !isLoader
    #expect(!isWritten, "an interrupted write is repeated: \(reported)")
    let statuses: [Int32] = isLoader ? [69, 73, 74, 75] : [73, 74]
    #expect(statuses.contains { ended.ending == .status($0) }, reported)
    let places = isLoader ? ["/stores/small", "/alone/"] : [Self.place(of: point.path)]
    #expect(places.contains { ended.errors.contains($0) }, reported)
  }

  /// Calls whose failure loses no data: reserving space, writing the holder's details to a lock file,
  /// removing a temporary file that does not exist, and starting an early write, because the file is synced
  /// later. If a temporary file exists and cannot be removed, the next call, which creates it, fails instead.
  private static func isHint(_ point: Point) -> Bool {
    ["fallocate", "sync_file_range"].contains(point.call) || point.call == "fcntl" && point.count == 2
      || point.call == "unlink" && point.path.hasSuffix(".%PID%.partial")
      || point.path.hasSuffix("/lock") && ["ftruncate", "pwrite64"].contains(point.call)
  }

  /// The part of a path that a message must contain: the path without the process id.
  private static func place(of path: String) -> String {
    path.replacing(/\.%PID%\.partial$/, with: "")
  }
}

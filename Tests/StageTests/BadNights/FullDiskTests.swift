import Concurrency
import Foundation
import Testing
import TestSupport

/// A disk of 200 MB becomes full during each stage. The stage must report the error without
/// damaging files, and must succeed when there is space again.
@Suite(.enabled(if: MountedDirectory.canMountMemory, "cannot mount a file system of memory"))
struct FullDiskTests {
  private static let tally = Tally("full disks", cases: BadNight.programs.count + 1)
  private static let tries = Soak.count(3, soak: 100)
  private static let page = 4096

  @Test(arguments: BadNight.programs) func `a disk that fills up during a stage is an error`(program: String)
    throws
  {
    let disk = try MountedDirectory(.memory(200))
    let night = try BadNight(in: disk.path)
    let stage = BadNight.programs.firstIndex(of: program).flatMap {
      $0 < BadNight.stages.count ? BadNight.stages[$0] : nil
    }
    let run = night.run(2)
    var served = BadNight.Length.threes
    var random = SplitMix64(seed: 5)
    let need = try pages(of: program, night, disk, stage)
    for _ in 0..<Self.tries {
      let length = stage == nil ? served.other : .threes
      let arguments = night.stageArguments(
        program, length, run: stage == nil ? night.run(length == .tens ? 1 : 2) : run)
      if let stage { try FileManager.default.removeItem(atPath: "\(run)/\(stage)") }
      let ballast = try fill(disk, leaving: Int.random(in: 0..<need, using: &random) * Self.page)
      let ended = try Program.run(program, arguments)
      try FileManager.default.removeItem(atPath: ballast)
      if ended.ending != .status(0) {
        Self.tally.add("\(program) without room")
        #expect([.status(73), .status(74)].contains(ended.ending), "\(ended.errors)")
        #expect(ended.errors.contains(disk.path) && ended.errors.contains("space"), "\(ended.errors)")
        #expect(ended.errors.contains("full") || ended.errors.contains("No space left"), "\(ended.errors)")
        if let stage { #expect(!FileManager.default.fileExists(atPath: "\(run)/\(stage)")) }
      }
      let wrongs = try night.wrongs(run: 2, .threes, served: [served, length], isWhole: false)
      #expect(wrongs.isEmpty, "\(wrongs)")
      if ended.ending != .status(0) {
        let again = try Program.run(program, arguments)
        #expect(again.ending == .status(0), "with free space:  \(again.errors)")
      }
      served = stage == nil ? length : served
      let whole = try night.wrongs(run: 2, .threes, served: [served])
      #expect(whole.isEmpty, "\(whole)")
    }
    Self.tally.add("tries", Self.tries)
    #expect(Self.tally.count("\(program) without room") > 0, "the disk must have been full at least once")
    Self.tally.end()
  }

  @Test func `a run reports a lack of space before the stage`() throws {
    let disk = try MountedDirectory(.memory(200))
    let night = try BadNight(in: disk.path)
    let ballast = try fill(disk, leaving: 3 * Self.page)
    let ended = try Program.run("nightjar", night.runArguments(.tens))
    try FileManager.default.removeItem(atPath: ballast)
    #expect(ended.ending == .status(74), "\(ended.errors)")
    #expect(ended.errors.contains("ingest needs about"), "\(ended.errors)")
    #expect(ended.errors.contains("is free") && ended.errors.contains(night.run(3)), "\(ended.errors)")
    let wrongs = try night.wrongs(run: 2, .threes, served: [.threes])
    #expect(wrongs.isEmpty, "\(wrongs)")
    let again = try Program.run("nightjar", night.runArguments(.tens) + ["--resume"])
    #expect(again.ending == .status(0), "\(again.errors)")
    let whole = try night.wrongs(run: 3, .tens, served: [.tens])
    #expect(whole.isEmpty, "\(whole)")
    Self.tally.add("runs that were reported before")
    Self.tally.end()
  }

  /// Returns the number of memory pages that the output of a stage needs. For publish, these are
  /// the pages of the store's log.
  private func pages(of program: String, _ night: BadNight, _ disk: MountedDirectory, _ stage: String?) throws
    -> Int
  {
    guard let stage else { return 60 }
    let before = disk.free
    try FileManager.default.removeItem(atPath: "\(night.run(2))/\(stage)")
    let pages = (disk.free - before) / Self.page
    let ended = try Program.run(program, night.stageArguments(program, .threes, run: night.run(2)))
    try #require(ended.ending == .status(0) && pages > 0, "\(pages): \(ended.errors)")
    return pages
  }

  /// Fills the disk with a file, except for `bytes`, and returns the path of the file.
  private func fill(_ disk: MountedDirectory, leaving bytes: Int) throws -> String {
    let path = disk.path + "/ballast"
    try #require(FileManager.default.createFile(atPath: path, contents: nil))
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    let size = disk.free - bytes
    try #require(size > 0 && posix_fallocate(file.fileDescriptor, 0, off_t(size)) == 0)
    try file.close()
    return path
  }
}

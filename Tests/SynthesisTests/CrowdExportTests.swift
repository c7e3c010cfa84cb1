import Files
import Foundation
import Synthesis
import Testing
import TestSupport

@Suite struct `An export of a crowd` {
  private static let compressions: [CrowdCompression?] = [nil, .gzip, .zstd]

  /// Returns the contents of the files by name.
  private func files(
    users: Int = 40_000, swipesPerUser: Int = 3, seed: UInt64 = 5, format: CrowdFormat = .csv,
    compression: CrowdCompression? = nil, threads: Int = 2
  ) throws -> [String: Data] {
    let directory = try ScratchDirectory()
    let export = try CrowdExport(
      users: users, swipesPerUser: swipesPerUser, seed: seed, format: format, compression: compression)
    let summary = try export.write(into: directory.path, threads: threads)
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    #expect(names.sorted() == export.fileNames.sorted())
    let files = try Dictionary(
      uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: URL(filePath: directory($0)))) })
    for file in summary.files { #expect(files[file.path]?.count == file.bytes) }
    return files
  }

  /// 40 000 users give three parts of one table and two of another. 120 000 swipes give two parts.
  @Test(arguments: CrowdFormat.allCases, compressions)
  func `has the same bytes with 1, 2 and 8 threads`(format: CrowdFormat, compression: CrowdCompression?)
    throws
  {
    let one = try files(format: format, compression: compression, threads: 1)
    for threads in [2, 8] {
      #expect(try files(format: format, compression: compression, threads: threads) == one)
    }
  }

  @Test func `has other people for another seed, and the same people for another number of swipes`() throws {
    let first = try files(users: 2000, seed: 5)
    #expect(try files(users: 2000, seed: 6)["users.csv"] != first["users.csv"])
    #expect(try files(users: 2000, seed: 6)["swipes.csv"] != first["swipes.csv"])
    #expect(try files(users: 2000, swipesPerUser: 4)["users.csv"] == first["users.csv"])
  }

  @Test func `replaces older files and leaves no others`() throws {
    let parent = try ScratchDirectory()
    let directory = parent.path + "/a/b"
    for seed in [1, 2] as [UInt64] {
      let export = try CrowdExport(
        users: 20, swipesPerUser: 2, seed: seed, format: .jsonl, compression: .gzip)
      _ = try export.write(into: directory, threads: 1)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == [
          "pipeline.yaml", "swipes.jsonl.gz", "users.jsonl.gz",
        ])
      let pipeline = try String(contentsOfFile: directory + "/pipeline.yaml", encoding: .utf8)
      #expect(pipeline.contains("\nseed: \(seed)\n"))
    }
  }

  @Test func `leaves no hidden files if it cannot be written`() throws {
    let directory = try ScratchDirectory()
    try FileManager.default.createDirectory(
      at: URL(filePath: directory("swipes.csv/x")), withIntermediateDirectories: true)
    let export = try CrowdExport(users: 20, swipesPerUser: 2, seed: 1, format: .csv, compression: nil)
    let error = #expect(throws: FileError.self) { try export.write(into: directory.path, threads: 2) }
    #expect(error?.operation == .write)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory.path).allSatisfy { !$0.hasPrefix(".") })
  }

  @Test(arguments: [
    (19, 1), (0, 0), (-5, 1), (20, 0), (20, 3), (1000, 126), (1000, -1), (20_000_001, 1),
    (10_000_000, 51), (.max, .max), (.min, .min),
  ])
  func `rejects incompatible sizes`(users: Int, swipesPerUser: Int) {
    let error = #expect(throws: SynthesisError.self) {
      try CrowdExport(users: users, swipesPerUser: swipesPerUser, seed: 1, format: .csv, compression: nil)
    }
    #expect(error?.description.hasSuffix(".") == true)
  }

  @Test func `names the range in its message`() {
    let error = #expect(throws: SynthesisError.self) {
      try CrowdExport(users: 20, swipesPerUser: 3, seed: 1, format: .csv, compression: nil)
    }
    #expect(error?.description == "--swipes-per-user must be 1 to 2 for 20 users, not 3.")
  }
}

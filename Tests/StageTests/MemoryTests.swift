import Foundation
import Testing
import TestSupport

/// The peak memory of ingest depends on the kept data and not on the file size.
///
/// The suite is disabled under a sanitizer, because a sanitizer's own memory grows with the input.
@Suite(.enabled(if: !Program.isSanitized, "a sanitizer uses memory itself"))
struct MemoryTests {
  static let rows = 2000

  enum Export: String, CaseIterable, CustomTestStringConvertible, Sendable {
    case csv, jsonl
    case gzip = "csv.gz"
    var testDescription: String { rawValue }
  }

  /// Returns the peak memory of ingest for the same swipes in a file of `megabytes` MB. The
  /// additional data are in columns that the pipeline file does not use.
  private func peak(_ export: Export, megabytes: Int) throws -> Int {
    let product = try SmallProduct()
    let name = "swipes." + (export == .jsonl ? "jsonl" : "csv")
    try write(export, bytes: megabytes * 1_000_000, to: product.directory(name))
    let path = export == .gzip ? try compress(product.directory(name), by: "gzip") : product.directory(name)
    try product.replace(
      "source: { path: swipes.csv }",
      // The padding compresses better than any real export.
      by: "source: { path: \(path)\(export == .gzip ? ", max_ratio: 1000000" : "") }")
    // With several threads, blocks wait between the threads. The number of waiting blocks depends on the
    // threads' speed.
    let ended = try product.run("--until", "ingest", "--threads", "1")
    try #require(ended.ending == .status(0), "\(ended.errors)")
    #expect(ended.errors.contains("2 000 swipes"))
    let stages = try #require(try json(product.run(1) + "/run.json")["stages"] as? [[String: Any]])
    return try #require(stages.first?.integer("peak_memory_bytes"))
  }

  private func write(_ export: Export, bytes: Int, to path: String) throws {
    try #require(FileManager.default.createFile(atPath: path, contents: nil))
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    let ids = SmallProduct.ids
    // The padding is in several columns, so there is padding between the fields of each record.
    let padding = String(repeating: "The quick brown fox, ", count: bytes / Self.rows / 21 / 4)
    if export != .jsonl { try file.write(contentsOf: Data("a,from,b,to,answer,c,at,d\n".utf8)) }
    for row in 0..<Self.rows {
      let (user, candidate) = (ids[row % 8], ids[(row + 1 + row / 8 % 7) % 8])
      let at = 1_709_300_000_000 + row
      let line =
        export == .jsonl
        ? "{\"a\":\"\(padding)\",\"from\":\"\(user)\",\"b\":[\"\(padding)\"],\"to\":\"\(candidate)\","
          + "\"answer\":\"right\",\"c\":{\"x\":\"\(padding)\"},\"at\":\(at),\"d\":\"\(padding)\"}\n"
        : "\"\(padding)\",\(user),\"\(padding)\",\(candidate),right,\"\(padding)\",\(at),\"\(padding)\"\n"
      try file.write(contentsOf: Data(line.utf8))
    }
    try file.close()
  }

  @Test(arguments: Export.allCases) func `a file ten times as large takes no more memory for the same rows`(
    _ export: Export
  ) throws {
    let (small, large) = (try peak(export, megabytes: 10), try peak(export, megabytes: 100))
    #expect(small > 10 << 20, "\(small) bytes is less than the program itself")
    // `Benchmarks/memory.sh` measured 30.9 to 32.0 MB for both sizes with one thread. The largest
    // difference was 1.0 MB. Keeping a tenth of the additional input would need 9 MB.
    #expect(abs(large - small) < 3 << 20, "\(small) bytes for 10 MB, \(large) for 100 MB")
  }
}

import Files
import Glibc
import IngestFixture
import PipelineFile
import Readers
import Testing
import TestSupport

@testable import Ingest

@Suite struct SourceReadingTests {
  /// Worker threads digest complete blocks. The reading thread digests the bytes after the last
  /// complete block.
  @Test(arguments: [ExportFormat.csv, .jsonl], [1, 4])
  func `a file is digested in order even with a record too long for a block`(
    format: ExportFormat, threads: Int
  ) throws {
    let isCSV = format == .csv
    func row(_ a: String) -> String { isCSV ? "\(a),1,yes,2\n" : "{\"a\":\"\(a)\",\"b\":1}\n" }
    func some(_ name: String) -> String { (0..<400).map { row(name + String($0)) }.joined() }
    let text =
      (isCSV ? Night.likesHeader : "") + some("x") + row(String(repeating: "y", count: 200)) + some("z")
    let scratch = try ScratchDirectory()
    let name = "likes." + format.rawValue
    try scratch.write(text, to: name)
    let pipeline = try Pipeline(yaml: Night.yaml(likes: format), file: scratch("p.yaml"))
    let source = try #require(pipeline.interaction("likes")).source
    var reading = SourceReading()
    var records = 0
    try reading.read(
      SourceReading.files(of: source, in: pipeline),
      ExportRequest(source: source, directory: pipeline.directory, fields: ["a", "b"]),
      by: Workers(threads: threads, blockSize: 64, recordLimit: 80)
    ) { block in
      var count = 0
      let summary = try block.forEachRecord { _ in count += 1 }
      // This delay makes the reader finish while blocks are still being digested.
      if !block.isRest { usleep(200) }
      return (count, summary)
    } merge: { _, count in
      records += count
    }
    #expect(records == 801)
    let digest = SHA256.digest(of: Array(text.utf8))
    #expect(reading.inputs == [FileDigest(path: name, bytes: text.utf8.count, sha256: digest, rows: 801)])
  }
}

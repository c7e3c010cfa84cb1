import Foundation
import ParserChecks
import Testing
import TestSupport

/// Runs the fuzzers' seeds and earlier findings through the same checks without a fuzzer.
@Suite struct SeedTests {
  private static let seeds = SharedData.repository.appending(path: "Tests/Fuzz/Seeds")

  private static func files(_ check: ParserCheck) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(
      at: seeds.appending(path: check.rawValue), includingPropertiesForKeys: nil
    ).sorted { $0.path < $1.path }
  }

  @Test(arguments: ParserCheck.allCases)
  func `every seed passes the checks of its parser`(_ check: ParserCheck) throws {
    let files = try Self.files(check)
    #expect(!files.isEmpty)
    for file in files {
      let violation = check.violation(in: Array(try Data(contentsOf: file)))
      #expect(violation == nil, "\(file.lastPathComponent): \(violation ?? "")")
    }
  }

  @Test(arguments: ParserCheck.allCases)
  func `every seed cut at any byte passes the checks too`(_ check: ParserCheck) throws {
    for file in try Self.files(check) {
      let bytes = Array(try Data(contentsOf: file).prefix(400))
      for count in bytes.indices {
        let violation = check.violation(in: Array(bytes[..<count]))
        #expect(violation == nil, "\(file.lastPathComponent) cut to \(count) bytes: \(violation ?? "")")
      }
    }
  }
}

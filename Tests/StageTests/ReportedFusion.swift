import Foundation
import Testing
import TestSupport
import Text

/// A run of a few hundred people with an evaluation, and its report.
struct ReportedFusion: Sendable {
  let run: FusionRun
  let page: String

  static let shared = Result {
    let run = try FusionRun(
      exports: SmallFusion.exports.get().path, ["--evaluate", "--as-of", FusionRun.newestSwipe],
      untilExit: true)
    return try ReportedFusion(run)
  }

  init(_ run: FusionRun, _ arguments: [String] = []) throws {
    self.run = run
    page = run.directory("reports/fusion.html")
    let ended = try Self.report(run, ["--out", run.directory("reports")] + arguments)
    try #require(ended.ending == .status(0), "\(ended.errors)")
    try #require(ended.output == page + "\n")
  }

  static func report(_ run: FusionRun, _ arguments: [String]) throws -> Program.Finished {
    try Program.run("nightjar-report", run.chosen + arguments)
  }

  /// Decodes the metrics without `JSONSerialization`, because it changes the last digit of some
  /// numbers.
  func metrics() throws -> JSONValue {
    try JSONDecoder().decode(
      JSONValue.self, from: Data(contentsOf: URL(filePath: "\(run.path)/evaluation/metrics.json")))
  }
}

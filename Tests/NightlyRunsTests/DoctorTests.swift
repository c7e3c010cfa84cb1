import Foundation
import PipelineFile
import TestSupport
import Testing
import Text

@testable import NightlyRuns

struct DoctorTests {
  /// The health check of the clock if the newest export was written `seconds` from now.
  private func clock(exportWritten seconds: Double) throws -> HealthCheck {
    let scratch = try ScratchDirectory()
    let export = try scratch.write("id\nu1\n", to: "users.csv")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: seconds)], ofItemAtPath: export)
    try scratch.write(
      """
      pipeline: small
      entities: { users: { source: { path: users.csv }, id: id } }

      """, to: "small.yaml")
    let pipeline = try Pipeline(file: scratch("small.yaml"), overrides: [])
    let checks = Doctor(
      pipeline, work: scratch("var"),
      now: Instant(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000)),
      environment: [:]
    ).checks()
    return try #require(checks.first { $0.name == "clock" })
  }

  @Test(arguments: [(-86_400, true), (0, true), (1800, true), (7200, false)])
  func `an export may be an hour ahead of this machine's clock`(seconds: Double, isWell: Bool) throws {
    #expect(try clock(exportWritten: seconds).verdict == (isWell ? .well : .note))
  }
}

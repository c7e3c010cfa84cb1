import Files
import PipelineFile
import RunSchemas
import System
import TestSupport
import Testing
import Text

@testable import NightlyRuns

struct RunMetricsTests {
  @Test func `metrics contain the rows of each source and the stages of the run`() throws {
    let scratch = try ScratchDirectory()
    try scratch.write(
      """
      pipeline: small
      entities: { users: { source: { path: users.csv }, id: id } }

      """, to: "small.yaml")
    let pipeline = try Pipeline(file: scratch("small.yaml"), overrides: [])
    let manifest = Manifest(
      tool: "test", stage: "snapshot", pipeline: "small", configuration: .null,
      asOf: Instant(milliseconds: 0), seed: 0, counts: ["sources": ["users": ["read": 3, "kept": 2]]])
    try scratch.write(manifest.json, to: "runs/1/snapshot/manifest.json")
    var record = RunRecord(
      pipeline: "small", pipelineFile: "small.yaml", overrides: [], run: 1, threads: 1,
      started: Instant(milliseconds: 1_795_000_000_000))
    record.stages = [RunRecord.StageRecord(stage: "ingest", seconds: 0.25, status: 0, peakMemory: 1024)]
    try RunMetrics(scratch("metrics.prom"), pipeline).write(
      record, at: Instant(milliseconds: 1_795_000_000_000), status: .badData, directory: scratch("runs/1"))
    let lines = try scratch.text("metrics.prom").split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(lines.contains("nightjar_run_status{pipeline=\"small\"} 65"))
    #expect(lines.contains("nightjar_run_number{pipeline=\"small\"} 1"))
    #expect(lines.contains("nightjar_stage_duration_seconds{pipeline=\"small\",stage=\"ingest\"} 0.25"))
    #expect(lines.contains("nightjar_stage_peak_memory_bytes{pipeline=\"small\",stage=\"ingest\"} 1024"))
    #expect(lines.contains { $0.contains("source=\"users\"") && $0.hasSuffix(" 2") }, "\(lines)")
    #expect(!lines.contains { $0.contains("last_success") })
  }
}

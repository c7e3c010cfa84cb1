import Concurrency
import Files
import Foundation
import Index
import Ingest
import Models
import PipelineFile
import Ranking
import StageFixture
import Testing
import Text

@testable import Evaluation

/// Each stage counts what it does, up to the total that it announced.
struct StageProgressTests {
  @Test(arguments: [1, 2])
  func `each stage counts up to its total`(_ threads: Int) throws {
    let people = (10..<29).map { "p\($0),1,1,50,8,Cork,Art," }
    let swipes = (10..<29).flatMap { person in
      (1...3).map { "p\(person),p\(10 + (person + $0) % 19),\($0 * 50),\($0 < 3 ? "r" : "l")" }
    }
    let fixture = try SmallWorld.fixture(
      people: people, swipes: swipes, evaluation: "{ cut: '1970-01-01T00:00:00.120Z', samples: 100 }")
    let (pipeline, run) = (fixture.pipeline, fixture.run)
    try FileManager.default.createDirectory(atPath: run, withIntermediateDirectories: true)
    func state(_ body: (WorkProgress) throws -> Void) rethrows -> WorkProgress.State {
      let progress = WorkProgress()
      try body(progress)
      return progress.state
    }
    let ingest = try state {
      _ = try IngestStage.run(
        pipeline, in: run, asOf: Instant(milliseconds: 1000), clock: nil, threads: threads, progress: $0,
        tool: "test")
    }
    let bytes = (people + swipes).reduce(0) { $0 + $1.utf8.count + 1 }
    #expect(ingest.unit == "bytes" && ingest.done == ingest.total && ingest.total > bytes)
    _ = try IndexStage.run(pipeline, in: run, tool: "test")
    let fit = try state {
      _ = try FitStage.run(pipeline, in: run, threads: threads, progress: $0, tool: "test")
    }
    #expect(fit == WorkProgress.State(unit: "users", done: 19, total: 19))
    let rank = try state {
      _ = try RankStage.run(pipeline, in: run, threads: threads, progress: $0, tool: "test")
    }
    let users = 19 * pipeline.rankings.count
    #expect(rank == WorkProgress.State(unit: "users", done: users, total: users))
    let evaluation = try state {
      _ = try EvaluateStage.run(
        pipeline, in: run, previous: nil, replaces: false, threads: threads, progress: $0, tool: "test")
    }
    // The last part counts all files except the manifest. The ranking has fewer methods than `Method` has
    // cases, and only its own methods count.
    let files = try Manifest(of: run + "/" + EvaluateStage.name).outputs.count
    #expect(files < Method.allCases.count + 4)
    #expect(evaluation == WorkProgress.State(unit: "files", done: files, total: files, part: "output"))
  }
}

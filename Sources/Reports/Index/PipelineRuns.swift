/// A pipeline with its complete runs.
package struct PipelineRuns: Sendable {
  package var name: String
  /// Oldest first.
  package var runs: [ReportedRun]
  /// Newer runs than the last of them that did not reach their end.
  package var unfinished: [UnfinishedRun]
  /// The numbers of complete runs that this program cannot read.
  package var unreadable: [Int]

  package init(name: String, runs: [ReportedRun], unfinished: [UnfinishedRun], unreadable: [Int]) {
    (self.name, self.runs, self.unfinished, self.unreadable) = (name, runs, unfinished, unreadable)
  }
}

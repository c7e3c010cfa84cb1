internal import Files

/// A pipeline with its kept runs.
package struct PipelineRuns: Sendable {
  package var name: String
  /// The complete runs that this program can read, oldest first.
  package var runs: [ReportedRun]
  /// The incomplete runs after the last run in `runs`, oldest first.
  package var unfinished: [UnfinishedRun]
  /// The numbers of complete runs that this program cannot read.
  package var unreadable: [Int]

  package init(name: String, runs: [ReportedRun], unfinished: [UnfinishedRun], unreadable: [Int]) {
    (self.name, self.runs, self.unfinished, self.unreadable) = (name, runs, unfinished, unreadable)
  }
}

extension PipelineRuns {
  /// Returns the address of the pipeline's page. If `directory` does not contain the page, the result is the
  /// address of the pipeline's section of the index.
  func address(in directory: String) -> String {
    let page = name + ".html"
    return Directories.exists(directory + "/" + page) ? page.asAddress : "#" + anchor
  }

  /// The anchor of the pipeline's section of the index.
  var anchor: String { "pipeline-" + name.fileName }
}

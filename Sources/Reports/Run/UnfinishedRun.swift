internal import System
package import Text

/// An incomplete run after the reported run, or a later night that failed before it created a run.
package struct UnfinishedRun: Sendable {
  /// The number of the run; `nil` if the night failed before it created a run.
  package var number: Int?
  /// The exit status of the failure, and the stage that failed, if any; `nil` if the failure is unknown.
  package var failure: (stage: String?, status: Int32)?
  /// The time of the failure; `nil` if it is unknown.
  package var at: Instant?

  package init(number: Int?, failure: (stage: String?, status: Int32)?, at: Instant? = nil) {
    (self.number, self.failure, self.at) = (number, failure, at)
  }

  /// The run as the subject of a sentence.
  private var subject: Words {
    if let number { return "run \(.count(number))" }
    return at.map { "the night of \($0.inWords)" as Words } ?? "a newer night"
  }

  var words: Words {
    guard let failure else { return "\(subject) was interrupted or is still running" }
    let status: Words = "(status \(.count(Int(failure.status))))"
    if let stage = failure.stage { return "\(subject) failed in \(stage) \(status)" }
    let place: Words = number == nil ? "before its first stage " : ""
    return "\(subject) failed \(place)\(status)"
  }

  /// The log that shows the cause, with the meaning of the exit status.
  fileprivate var log: Words {
    let log: Words = number.map { "the log of run \(.count($0))" as Words } ?? "the log of that night"
    guard let status = failure?.status, let known = ExitStatus(rawValue: status) else { return log }
    return "\(log) (status \(.count(Int(status))): \(known.meaning))"
  }
}

extension Page.Check {
  /// Creates the check that names the newest of the incomplete runs `later`, and counts the others.
  ///
  /// - Parameters:
  ///   - later: The incomplete runs, oldest first; not empty.
  ///   - run: The last complete run; `nil` if there is none.
  init(unfinished later: [UnfinishedRun], after run: ReportedRun?) {
    let newest = later[later.count - 1]
    let others: Words = later.count == 1 ? "" : " after \(later.count - 1, "other incomplete run")"
    self.init(
      mark: .bad, title: run == nil ? "Runs" : "Newer runs", figure: newest.words,
      meaning: run.map { "this page describes \($0.title), the last complete run" as Words }
        ?? "this pipeline has no complete run yet",
      reservation: newest.words + others,
      step:
        "Find the cause with \(code: "nightjar doctor") and \(newest.log), then run the pipeline again.")
  }
}

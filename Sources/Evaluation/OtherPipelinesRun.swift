package import System
internal import Text

/// The error for a run directory that belongs to another pipeline.
package struct OtherPipelinesRun: ErrorWithStatus, CustomStringConvertible {
  package var exitStatus: ExitStatus { .badData }

  package let description: String

  package init(_ directory: String, of found: String, not wanted: String) {
    description =
      "'\(directory)' is a run of the pipeline '\(found)', not of '\(wanted)'. Choose a run of '\(wanted)'."
  }
}

/// The error for a run that is not earlier than the evaluated run.
struct NotEarlierRun: ErrorWithStatus, CustomStringConvertible {
  var exitStatus: ExitStatus { .missingInput }

  let description: String

  init(_ directory: String, asOf found: Instant, not before: Instant) {
    description =
      "'\(directory)' is not an earlier run: its as-of time, \(found), is not before the as-of time of the evaluated "
      + "run, \(before). Choose an earlier run."
  }
}

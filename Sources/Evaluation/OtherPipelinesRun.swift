package import System

/// The error for a run directory that belongs to another pipeline.
package struct OtherPipelinesRun: ErrorWithStatus, CustomStringConvertible {
  package var exitStatus: ExitStatus { .badData }

  package let description: String

  package init(_ directory: String, of found: String, not wanted: String) {
    description =
      "'\(directory)' is a run of the pipeline '\(found)', not of '\(wanted)'. Name a run of '\(wanted)'."
  }
}

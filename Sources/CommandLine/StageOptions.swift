package import ArgumentParser
internal import Foundation
package import PipelineFile
internal import Readers
package import Text

/// The pipeline file, which is required, and its overrides.
package struct PipelineOptions: ParsableArguments {
  @Argument(
    help: "The pipeline file, for example pipelines/fusion.yaml.",
    completion: .file(extensions: ["yaml", "yml"]))
  package var pipeline: String

  @Option(
    name: .customLong("set"), parsing: .singleValue,
    help: ArgumentHelp(
      "Override one value of the pipeline file, for example rankings.partners.top=3; repeatable.",
      valueName: "key=value"))
  package var overrides: [String] = []

  package init() {}

  /// Reads and checks the pipeline file.
  ///
  /// - Throws: `PipelineFileError` if the file or an override is invalid; `FileError` if the file cannot be
  ///   read.
  package func load() throws -> Pipeline {
    var parsed: [Override] = []
    for argument in overrides { parsed.append(try Override(argument)) }
    return try Pipeline(file: pipeline, overrides: parsed)
  }
}

/// The option `--threads`. The default is one thread per processor.
package struct ThreadOptions: ParsableArguments {
  @Option(
    help: "The number of threads (default: one per processor). The results do not depend on this number.")
  package var threads: Int?

  package init() {}

  package func validate() throws {
    if let threads, !(1...1024).contains(threads) {
      throw ValidationError("--threads must be from 1 to 1024, not \(threads).")
    }
  }

  /// The number of threads to use.
  package var count: Int { threads ?? ProcessInfo.processInfo.activeProcessorCount }
}

/// A time on the command line, in the form of RFC 3339 or as a date.
extension Instant: ExpressibleByArgument {
  package init?(argument: String) {
    guard let milliseconds = parseInstant(Array(argument.utf8).span) else { return nil }
    self.init(milliseconds: milliseconds)
  }
}

/// The value of `--as-of` on the command line: `clock`, `newest` or a time.
extension Pipeline.AsOf: ExpressibleByArgument {
  package init?(argument: String) { self.init(argument) }
}

/// The option `--as-of`, which overrides `as_of` in the pipeline file.
package struct AsOfOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The time that the run treats as now: a time such as 2026-11-20T23:58:12Z, clock (the start of the run) or \
      newest (the newest interaction, check-in or request). The default is 'as_of' of the pipeline file, or clock.
      """, valueName: "as-of"))
  package var asOf: Pipeline.AsOf?

  package init() {}
}

extension Pipeline {
  /// Returns the pipeline with the as-of time of `options`. Without `--as-of`, the pipeline is unchanged.
  package func asOf(_ options: AsOfOptions) -> Pipeline {
    var pipeline = self
    if let asOf = options.asOf { pipeline.asOf = asOf }
    return pipeline
  }
}

/// The arguments that all stages except `evaluate` share: the pipeline file, the run directory, `--threads`
/// and `--quiet`.
package struct StageOptions: ParsableArguments {
  @OptionGroup package var pipeline: PipelineOptions

  @Option(
    name: .customLong("run-dir"),
    help: "The run directory. The stage reads earlier results from it, and writes its own results into it.",
    completion: .directory)
  package var runDirectory: String

  @OptionGroup package var threads: ThreadOptions

  @Flag(help: "Print only errors on standard error.")
  package var quiet = false

  package init() {}
}

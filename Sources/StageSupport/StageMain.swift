internal import ArgumentParser
package import PipelineFile
package import Tables

/// What all stage executables do around their one call.
package enum StageMain {
  /// Runs `body`, and turns its error into one line on standard error and the exit status of DESIGN.
  ///
  /// - Throws: `ExitCode`, which ArgumentParser obeys; `ValidationError`s pass through to it.
  package static func guarded(_ body: () throws -> Void) throws {
    Interruption.watch()
    do {
      try body()
      if Console.lostResult {
        throw FileError(
          .write, "standard output", reason: "the result could not be written", advice: "Is the disk full?")
      }
    } catch let error as ValidationError {
      throw error
    } catch let error as ExitCode {
      throw error
    } catch {
      // Names in exports stand in messages, and might command the terminal. Line breaks are the message's own.
      if Console.tellsEvents {
        RunEvents.tell(
          "error", ["message": .string("\(error)"), "status": .integer(Int(ExitStatus(error).rawValue))])
        throw ExitCode(ExitStatus(error).rawValue)
      }
      let lines = "nightjar: \(error)".split(separator: "\n", omittingEmptySubsequences: false)
      Console.tell(lines.map { ShownText.encoded(String($0)) }.joined(separator: "\n"))
      throw ExitCode(ExitStatus(error).rawValue)
    }
  }

  /// Runs one stage that writes a directory: takes the lock unless it is inherited, tells the beginning and the
  /// end, and prints the path of the directory.
  ///
  /// - Parameters:
  ///   - stage: The stage.
  ///   - options: The command line.
  ///   - body: Does the work, given the pipeline and the run directory.
  /// - Throws: `ExitCode`.
  package static func run(
    _ stage: Stage, _ options: StageOptions, _ body: (Pipeline, String) throws -> Manifest
  ) throws {
    try guarded {
      let inherited = ChildProcess.inherit()
      let pipeline = try options.pipeline.load()
      let run = options.runDirectory
      let lock = inherited == nil ? try RunLock(ofRun: run, stage: stage) : nil
      if !options.quiet && !Console.isTerminal { Console.tell("  \(stage.rawValue.padded(to: 9)) started") }
      let clock = ContinuousClock()
      let start = clock.now
      let manifest = try body(pipeline, run)
      if !options.quiet {
        Console.tell(stage.line(manifest, pipeline, seconds: start.duration(to: clock.now).inSeconds))
      }
      Console.result(run + "/" + stage.directory)
      _ = consume lock
    }
  }
}

extension RunLock {
  /// The lock for a stage that is run by hand: that of the pipeline's directory where the run directory stands in
  /// one, else that of the run directory.
  package init(ofRun run: String, stage: Stage) throws {
    try self.init(
      of: RunDirectories(around: run)?.root ?? Directories.resolved(run),
      holder: "\(stage.executable) in '\(run)'")
  }
}

extension Duration {
  package var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }
}

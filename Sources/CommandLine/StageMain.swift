internal import ArgumentParser
internal import CLinux
package import Concurrency
package import Files
internal import Glibc
package import PipelineFile
package import RunSchemas
internal import System
internal import Text

/// Runs a command, with the steps that all commands share before and after their own work.
///
/// The module contains the common parts of all commands: options, messages, exit statuses, signals and child
/// processes. This module and the stage modules must not depend on each other, because stages must work
/// without a command line.
package enum StageMain {
  /// Runs `body`, and converts an error to a message on standard error and an exit status (see `ExitStatus`).
  /// Rethrows `ValidationError` and `ExitCode`.
  package static func guarded(_ body: () throws -> Void) throws {
    ownDescriptors()
    keepFreedMemory()
    // If the process ignores SIGXFSZ, a write beyond the file size limit fails with an error that names the
    // file. Otherwise, the signal would end the process without a message.
    _ = signal(SIGXFSZ, SIG_IGN)
    do {
      try requireAddresses()
      Interruption.watch()
      try body()
      if Console.lostResult {
        throw FileError(
          .write, "standard output", reason: "the result is incomplete",
          advice: "Check whether the disk is full, then run the command again.")
      }
    } catch let error as ValidationError {
      throw error
    } catch let error as ExitCode {
      throw error
    } catch {
      // Messages may contain names from exports, and these names may contain terminal control sequences. Line
      // breaks belong to the message, so they are not encoded.
      if Console.printsEvents {
        Console.print(
          event: "error",
          ["message": .string("\(error)"), "status": .integer(Int(ExitStatus(error).rawValue))])
        throw ExitCode(ExitStatus(error).rawValue)
      }
      let lines = "nightjar: \(error)".split(separator: "\n", omittingEmptySubsequences: false)
      Console.print(lines.map { ShownText.encoded(String($0)) }.joined(separator: "\n"))
      throw ExitCode(ExitStatus(error).rawValue)
    }
  }

  /// The minimum address space, in bytes, for the threads and small files of a command. With less address
  /// space, system libraries wait forever or end the process without a message.
  private static let leastAddresses = 32 << 20

  private static func requireAddresses() throws {
    let piece = unsafe mmap(nil, leastAddresses, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let piece = unsafe piece, unsafe piece != MAP_FAILED else {
      throw StageFailure(
        .tryAgain,
        "out of memory: this process has less than \(leastAddresses >> 20) MiB of free address space. Raise the limit "
          + "with 'ulimit -v' in a shell, or with LimitAS in a systemd service.")
    }
    _ = unsafe munmap(piece, leastAddresses)
  }

  /// Makes the allocator keep freed memory for reuse. Getting memory from the kernel page by page takes
  /// longer than filling the memory with data. The allocator still returns free memory beyond 512 MiB to the
  /// kernel.
  private static func keepFreedMemory() {
    linux_keep_freed_memory(32 << 20, 512 << 20)
  }

  /// Opens `/dev/null` in place of each closed standard stream. Otherwise, the next opened file would get the
  /// descriptor of the stream, and messages could be written to that file.
  private static func ownDescriptors() {
    for descriptor in 0...2 as ClosedRange<Int32> where fcntl(descriptor, F_GETFD) < 0 {
      _ = unsafe open("/dev/null", O_RDWR)
    }
  }

  /// Runs one stage that writes a directory.
  ///
  /// This method takes the lock unless this process inherited it, reports the start and the end, and prints
  /// the path of the directory.
  ///
  /// - Parameters:
  ///   - stage: The stage to run.
  ///   - options: The parsed command line.
  ///   - body: The work of the stage. Its arguments are the pipeline, the run directory, and the progress to
  ///     update.
  /// - Throws: `ExitCode` after an error that this method has reported; `ValidationError` for a wrong command
  ///   line.
  package static func run(
    _ stage: Stage, _ options: StageOptions, _ body: (Pipeline, String, WorkProgress) throws -> Manifest
  ) throws {
    try guarded {
      let inherited = try StageParent.inherit()
      let pipeline = try options.pipeline.load()
      let run = options.runDirectory
      let lock = inherited == nil ? try RunLock(ofRun: run, stage: stage) : nil
      if !options.quiet && !Console.canRedraw { Console.print("  \(stage.rawValue.padded(to: 9)) started") }
      let clock = ContinuousClock()
      let start = clock.now
      let manifest = try showingProgress(
        of: stage, pipeline: pipeline.name, run: run, !options.quiet || inherited != nil
      ) { progress in
        try body(pipeline, run, progress)
      }
      if !options.quiet {
        Console.print(
          stage.line(manifest, pipeline, seconds: start.duration(to: clock.now).inSeconds),
          indent: Stage.indent)
      }
      Console.result(run + "/" + stage.directory)
      _ = consume lock
    }
  }

  /// Runs `body` and shows its progress if `isShown`. In a run, the parent process reports the beginning and
  /// the end of each stage, and the stage's own process shows the progress.
  package static func showingProgress<Result>(
    of stage: Stage, pipeline: String, run: String, _ isShown: Bool, _ body: (WorkProgress) throws -> Result
  ) rethrows -> Result {
    let progress = WorkProgress()
    guard isShown else { return try body(progress) }
    let reporter = ProgressReporter(progress, of: stage, pipeline: pipeline, run: run)
    defer { reporter.end() }
    return try body(progress)
  }
}

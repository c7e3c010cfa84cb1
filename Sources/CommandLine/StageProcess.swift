internal import Concurrency
internal import Dispatch
package import Files
internal import Foundation
internal import Glibc
internal import RunSchemas
package import System

/// Runs a stage or the report in its own process. When the process ends, the system frees all its memory. A
/// crash ends only this process, and the run reports the crash.
package enum StageProcess {
  /// The end of a process that ran a stage or wrote the report.
  package struct StageEnd: Sendable {
    package var ending: ProcessEnding
    /// The standard output of the process.
    package var output: [UInt8]
    /// The peak memory in bytes; see `ChildProcess.Ended`.
    package var peakMemory: Int

    package init(ending: ProcessEnding, output: [UInt8], peakMemory: Int) {
      self.ending = ending
      self.output = output
      self.peakMemory = peakMemory
    }
  }

  /// Runs a command of this program in a child process, and waits for its end.
  ///
  /// The child inherits standard error and the lock, and dies with this process. Call this function on a
  /// thread that lives as long as the process, because the kernel kills the child when this thread ends.
  ///
  /// - Parameters:
  ///   - command: The command, such as `fit`.
  ///   - arguments: The arguments of the command.
  ///   - lock: The descriptor of the run's lock, which the child inherits.
  /// - Returns: How the command ended, its standard output (a few kilobytes at most) and its peak memory.
  /// - Throws: `FileError` if the child process cannot be started.
  package static func run(_ command: String, _ arguments: [String], lock: Int32) throws(FileError) -> StageEnd
  {
    let (child, output) = try start(command, arguments, lock)
    defer { _ = close(output) }
    running.withLock { $0 = child }
    defer { running.withLock { $0 = nil } }
    // A signal may have been received before the child existed.
    if let signal = Interruption.received { stop(by: signal) }
    let bytes = ChildProcess.output(of: output)
    let ended = child.wait()
    return StageEnd(ending: ended.ending, output: bytes, peakMemory: ended.peakMemory)
  }

  /// The path of the running program, even if another version has been installed since this process started.
  private static let ownProgram = "/proc/self/exe"

  private static func start(
    _ command: String, _ arguments: [String], _ lock: Int32
  ) throws(FileError) -> (child: ChildProcess, output: Int32) {
    var environment = ProcessInfo.processInfo.environment
    environment[StageParent.parentKey] = String(getpid())
    environment[StageParent.lockKey] = String(lock)
    let pipe: (read: Int32, write: Int32)
    do throws(ChildProcess.StartFailure) {
      pipe = try ChildProcess.pipe()
    } catch {
      throw FileError(
        .create, "nightjar-" + command, reason: "a pipe for its output cannot be created (\(error.reason))",
        advice:
          "Raise the open file limit with 'ulimit -n' in a shell, or with LimitNOFILE in a systemd service.")
    }
    defer { _ = close(pipe.write) }
    do throws(ChildProcess.StartFailure) {
      let child = try ChildProcess(
        path: ownProgram, name: "nightjar-" + command, arguments: arguments,
        environment: environment.map { "\($0.key)=\($0.value)" },
        streams: (0, pipe.write, 2), sharing: .everything)
      return (child, pipe.read)
    } catch {
      _ = close(pipe.read)
      throw FileError(
        .create, "nightjar-" + command, reason: "the process cannot be started (\(error.reason))",
        advice: "Check whether /proc is mounted. Check the limits of this process with 'ulimit -a'.")
    }
  }

  /// The process of the running stage; `nil` if no stage is running.
  private static let running = Guarded<ChildProcess?>(nil)

  /// Passes a signal to the running stage, and kills the stage if it takes longer than ten seconds to end.
  package static func stop(by signal: Int32) {
    guard let child = running.withLock({ $0 }) else { return }
    child.send(signal)
    DispatchQueue.global().asyncAfter(deadline: .now() + 10) { child.send(SIGKILL) }
  }
}

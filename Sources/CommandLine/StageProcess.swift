internal import Concurrency
internal import Dispatch
package import Files
internal import Foundation
internal import Glibc
package import System

/// A stage in its own process, which releases its memory at the end and turns a crash into an exit status.
package enum StageProcess {
  /// How a stage ended.
  package struct StageEnd: Sendable {
    package var ending: ProcessEnding
    /// The standard output of the stage.
    package var output: [UInt8]
    /// The peak memory in bytes; see `ChildProcess.Ended`.
    package var peakMemory: Int

    package init(ending: ProcessEnding, output: [UInt8], peakMemory: Int) {
      self.ending = ending
      self.output = output
      self.peakMemory = peakMemory
    }
  }

  /// Runs the executable `name` from this program's directory, and waits for it.
  ///
  /// The child inherits standard error and the lock, and dies with this process. Call it on a thread that
  /// lives as long as the process.
  ///
  /// - Parameters:
  ///   - name: The name of the program, such as `nightjar-fit`.
  ///   - arguments: The arguments without the name.
  ///   - lock: The descriptor of the run's lock.
  /// - Returns: Its exit status, and its standard output (a few kilobytes at most).
  /// - Throws: `FileError` if it cannot be started.
  package static func run(_ name: String, _ arguments: [String], lock: Int32) throws(FileError) -> StageEnd {
    let path = try executable(name)
    let (child, output) = try start(path, arguments, lock)
    defer { _ = close(output) }
    running.withLock { $0 = child }
    defer { running.withLock { $0 = nil } }
    // A signal may have been received before the child existed.
    if let signal = Interruption.received { stop(by: signal) }
    let bytes = ChildProcess.output(of: output)
    let ended = child.wait()
    return StageEnd(ending: ended.ending, output: bytes, peakMemory: ended.peakMemory)
  }

  private static func start(
    _ path: String, _ arguments: [String], _ lock: Int32
  ) throws(FileError) -> (child: ChildProcess, output: Int32) {
    var environment = ProcessInfo.processInfo.environment
    environment[StageParent.parentKey] = String(getpid())
    environment[StageParent.lockKey] = String(lock)
    // OpenBLAS starts threads when a program is loaded. Stages have their own threads, so it is limited to
    // one.
    environment["OPENBLAS_NUM_THREADS"] = environment["OPENBLAS_NUM_THREADS"] ?? "1"
    let pipe: (read: Int32, write: Int32)
    do throws(ChildProcess.StartFailure) {
      pipe = try ChildProcess.pipe()
    } catch {
      throw FileError(.create, path, errno: error.errno)
    }
    defer { _ = close(pipe.write) }
    do throws(ChildProcess.StartFailure) {
      let child = try ChildProcess(
        path: path, arguments: arguments, environment: environment.map { "\($0.key)=\($0.value)" },
        streams: (0, pipe.write, 2), sharing: .everything)
      return (child, pipe.read)
    } catch {
      _ = close(pipe.read)
      throw FileError(.find, path, errno: error.errno)
    }
  }

  /// The stage that is running.
  private static let running = Guarded<ChildProcess?>(nil)

  /// Passes a signal to the running stage, and kills the stage if it takes longer than ten seconds to end.
  package static func stop(by signal: Int32) {
    guard let child = running.withLock({ $0 }) else { return }
    child.send(signal)
    DispatchQueue.global().asyncAfter(deadline: .now() + 10) { child.send(SIGKILL) }
  }

  /// Whether this program's directory contains the executable `name`.
  package static func exists(_ name: String) -> Bool {
    (try? executable(name)).map { unsafe access($0, X_OK) == 0 } ?? false
  }

  static func executable(_ name: String) throws(FileError) -> String {
    let link = "/proc/self/exe"
    guard let own = try? FileManager.default.destinationOfSymbolicLink(atPath: link) else {
      throw FileError(.read, link, reason: "the path of this program is unknown")
    }
    let path = Directories.parent(of: own) + "/" + name
    guard Directories.exists(path) else {
      throw FileError(
        .find, path, reason: "the program is missing",
        advice: "Keep all programs of a build in one directory.")
    }
    return path
  }
}

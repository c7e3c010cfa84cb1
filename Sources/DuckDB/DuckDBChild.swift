internal import Foundation
internal import Glibc
internal import System

/// A child process that ends with this process, even if this process is killed.
///
/// The kernel kills the child when the thread that started the child ends. A separate thread therefore starts
/// the child, and waits until the child ends.
final class DuckDBChild: @unchecked Sendable {
  // The compiler cannot check that `condition` guards `state`. A `Mutex` is not used, because the thread
  // sanitizer does not support it on Linux.

  /// The exit status of the child, and the first 16 KiB of its standard error.
  struct Ending: Sendable {
    /// The exit status; 128 plus the signal number if a signal ended the child.
    var status: Int32
    var errors: [UInt8]
  }

  private enum State {
    case starting
    case notStarted(ChildProcess.StartFailure)
    case running(ChildProcess)
    case ended(Ending)
  }

  private let condition = NSCondition()
  private var state = State.starting
  private static let errorLimit = 16 << 10

  /// Starts the program at `path`.
  ///
  /// - Parameters:
  ///   - path: The program.
  ///   - arguments: The arguments without the program name.
  ///   - directory: The child's working directory; `nil` for the working directory of this process.
  ///   - input: The child's standard input, which is closed in this process.
  ///   - output: The child's standard output, which is closed in this process.
  /// - Throws: `DuckDBError.system` if the pipe, the thread or the child cannot be created.
  init(path: String, arguments: [String], directory: String?, input: Int32, output: Int32)
    throws(DuckDBError)
  {
    let errors: (read: Int32, write: Int32)
    do throws(ChildProcess.StartFailure) {
      errors = try ChildProcess.pipe()
    } catch {
      for descriptor in [input, output] { _ = close(descriptor) }
      throw .system("a pipe could not be created: \(error.reason)")
    }
    let isStarted = SideThread.start { [self] in
      var child: ChildProcess?
      do throws(ChildProcess.StartFailure) {
        let started = try ChildProcess(
          path: path, arguments: arguments, directory: directory,
          streams: (input, output, errors.write), sharing: .streams)
        child = started
        change(to: .running(started))
      } catch {
        change(to: .notStarted(error))
      }
      for descriptor in [input, output, errors.write] { _ = close(descriptor) }
      if let child { wait(for: child, errors.read) }
      _ = close(errors.read)
    }
    if !isStarted {
      for descriptor in [input, output, errors.write, errors.read] { _ = close(descriptor) }
      throw .system("\(path): the system could not start the thread that waits for this program")
    }
    condition.lock()
    defer { condition.unlock() }
    while case .starting = state { condition.wait() }
    if case .notStarted(let failure) = state { throw .system("\(path): \(failure.reason)") }
  }

  /// Waits until the child ends. This method may be called any number of times.
  func wait() -> Ending {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if case .ended(let ending) = state { return ending }
      condition.wait()
    }
  }

  /// Kills the child and its own children. Does nothing if the child has ended.
  func kill() {
    condition.lock()
    defer { condition.unlock() }
    if case .running(let child) = state { child.send(SIGKILL) }
  }

  private func change(to new: State) {
    condition.lock()
    state = new
    condition.broadcast()
    condition.unlock()
  }

  /// Reads the child's standard error to its end, and waits for the child.
  private func wait(for child: ChildProcess, _ descriptor: Int32) {
    let errors = ChildProcess.output(of: descriptor, keeping: Self.errorLimit)
    let code =
      switch child.wait().ending {
      case .status(let code): code
      case .signal(let signal): 128 + signal
      }
    change(to: .ended(Ending(status: code, errors: errors)))
  }
}

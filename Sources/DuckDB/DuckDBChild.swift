internal import CLinux
internal import Foundation
internal import Glibc
internal import System

/// A child process that dies with this one, however this one dies.
///
/// The kernel kills it when the thread that started it ends, so that thread does nothing but wait for it.
final class DuckDBChild: @unchecked Sendable {
  // Unchecked because of `state`, which `condition` guards: the thread sanitizer does not see into a Mutex on Linux.

  /// How the child ended, and the first 16 KiB that it wrote to standard error.
  struct Ending: Sendable {
    /// The exit status; 128 and the number of the signal where one ended it.
    var status: Int32
    var errors: [UInt8]
  }

  private enum State {
    case starting
    /// With the error of the system.
    case notStarted(Int32)
    case running(pid_t)
    case ended(Ending)
  }

  private let condition = NSCondition()
  private var state = State.starting
  private static let errorLimit = 16 << 10

  /// Starts the program at `path`.
  ///
  /// - Parameters:
  ///   - path: The program.
  ///   - arguments: Without the name.
  ///   - directory: Where the child stands; `nil` is here.
  ///   - input: Becomes its standard input, and is closed here.
  ///   - output: Becomes its standard output, and is closed here.
  /// - Throws: `DuckDBError.system`.
  init(path: String, arguments: [String], directory: String?, input: Int32, output: Int32)
    throws(DuckDBError)
  {
    let errors: (read: Int32, write: Int32)
    do throws(DuckDBError) {
      errors = try Pipe.make()
    } catch {
      for descriptor in [input, output] { _ = close(descriptor) }
      throw error
    }
    let isStarted = SideThread.start { [self] in
      let process = unsafe withCStrings([path] + arguments) { arguments in
        unsafe linux_start_process(path, arguments, directory, input, output, errors.write)
      }
      let code = errno
      for descriptor in [input, output, errors.write] { _ = close(descriptor) }
      change(to: process < 0 ? .notStarted(code) : .running(process))
      if process >= 0 { wait(for: process, errors.read) }
      _ = close(errors.read)
    }
    if !isStarted {
      for descriptor in [input, output, errors.write, errors.read] { _ = close(descriptor) }
      throw .system("\(path): the system gives no thread to wait for it")
    }
    condition.lock()
    defer { condition.unlock() }
    while case .starting = state { condition.wait() }
    if case .notStarted(let code) = state {
      throw unsafe .system("\(path): \(String(cString: strerror(code)))")
    }
  }

  /// Waits for the end, any number of times.
  func wait() -> Ending {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if case .ended(let ending) = state { return ending }
      condition.wait()
    }
  }

  /// Kills the child with its own children; nothing happens where it has ended.
  func kill() {
    condition.lock()
    defer { condition.unlock() }
    // Not yet waited for, so that the number cannot be another's by now.
    guard case .running(let process) = state else { return }
    // The group is there once the child has asked for it; until then it has no children.
    _ = Glibc.kill(-process, SIGKILL)
    _ = Glibc.kill(process, SIGKILL)
  }

  private func change(to new: State) {
    condition.lock()
    state = new
    condition.broadcast()
    condition.unlock()
  }

  /// Takes what the child says until its end: reading all of it keeps a talkative one from waiting for a reader.
  private func wait(for process: pid_t, _ descriptor: Int32) {
    var errors: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      errors += buffer.prefix(min(count, Self.errorLimit - errors.count))
    }
    // First only looks, so that `kill` never meets a number that is free already.
    var information = unsafe siginfo_t()
    while unsafe waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    condition.lock()
    defer { condition.unlock() }
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
    let code =
      switch ProcessEnding(waitStatus: status) {
      case .status(let code): code
      case .signal(let signal): 128 + signal
      }
    state = .ended(Ending(status: code, errors: errors))
    condition.broadcast()
  }
}

/// Two ends, both closed on exec.
enum Pipe {
  /// - Throws: `DuckDBError.system`.
  static func make() throws(DuckDBError) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard unsafe linux_pipe(&ends) == 0 else {
      throw unsafe .system("a pipe: \(String(cString: strerror(errno)))")
    }
    return (ends[0], ends[1])
  }
}

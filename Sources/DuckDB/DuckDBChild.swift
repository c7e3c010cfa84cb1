internal import CLinux
internal import Dispatch
internal import Foundation
internal import Glibc
internal import Synchronization

/// A child process that dies with this one, however this one dies.
///
/// The kernel kills it when the thread that started it ends, so that thread does nothing but wait for it.
final class DuckDBChild: Sendable {
  /// How the child ended, and the first 16 KiB that it wrote to standard error.
  struct Ending: Sendable {
    /// The exit status; 128 and the number of the signal where one ended it.
    var status: Int32
    var errors: [UInt8]
  }

  private enum State {
    /// `nil`: about to start.
    case running(pid_t?)
    case ended(Ending)
  }

  private let state = Mutex<State>(.running(nil))
  private let hasEnded = DispatchSemaphore(value: 0)
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
    let outcome = Mutex<Int32>(0)
    let hasStarted = DispatchSemaphore(value: 0)
    let thread = Thread { [self] in
      let process = unsafe withCStrings([path] + arguments) { arguments in
        unsafe linux_start_process(path, arguments, directory, input, output, errors.write)
      }
      let code = process < 0 ? errno : 0
      for descriptor in [input, output, errors.write] { _ = close(descriptor) }
      state.withLock { $0 = .running(process < 0 ? nil : process) }
      outcome.withLock { $0 = code }
      hasStarted.signal()
      if process >= 0 { wait(for: process, errors.read) }
      _ = close(errors.read)
    }
    thread.name = "duckdb"
    thread.start()
    hasStarted.wait()
    let code = outcome.withLock { $0 }
    guard code == 0 else { throw unsafe .system("\(path): \(String(cString: strerror(code)))") }
  }

  /// Waits for the end, any number of times.
  func wait() -> Ending {
    hasEnded.wait()
    hasEnded.signal()
    return state.withLock { state in
      guard case .ended(let ending) = state else { preconditionFailure("the semaphore told of an end") }
      return ending
    }
  }

  /// Kills the child with its own children; nothing happens where it has ended.
  func kill() {
    state.withLock { state in
      // Not yet waited for, so that the number cannot be another's by now.
      guard case .running(let process?) = state else { return }
      // The group is there once the child has asked for it; until then it has no children.
      _ = Glibc.kill(-process, SIGKILL)
      _ = Glibc.kill(process, SIGKILL)
    }
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
    state.withLock { state in
      var status: Int32 = 0
      while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
      // The macros WIFSIGNALED and WEXITSTATUS, which Swift does not import.
      let signal = status & 0x7F
      state = .ended(Ending(status: signal == 0 ? status >> 8 & 0xFF : 128 + signal, errors: errors))
    }
    hasEnded.signal()
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

/// Calls `body` with `strings` as the array of C strings, ended by a null pointer, that `exec` wants.
private func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  let pointers = unsafe strings.map { unsafe strdup($0) } + [nil]
  defer { unsafe pointers.forEach { unsafe free($0) } }
  return unsafe pointers.withUnsafeBufferPointer { buffer in
    guard let base = buffer.baseAddress else { preconditionFailure("an array with an element has a base") }
    return unsafe body(base)
  }
}

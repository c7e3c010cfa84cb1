internal import CLinux
internal import Dispatch
internal import Glibc

/// A child process. All code that runs another program uses this type.
///
/// The kernel kills the child when the thread that started the child ends. The child therefore outlives
/// neither that thread nor this process.
package final class ChildProcess: @unchecked Sendable {
  // The conformance is `@unchecked`, because the compiler cannot check that only code on `queue` accesses
  // `state`. With a `Mutex`, the compiler could check this, but the thread sanitizer does not support `Mutex`
  // on Linux and reports false races.

  /// The resources that a child shares with this process.
  package enum Sharing: Sendable {
    /// Only the standard streams are shared. The child has its own process group, no other descriptors, and
    /// the default handling of SIGPIPE.
    case streams
    /// The child also shares the process group, all descriptors that are not closed on exec, and ignored
    /// signals.
    case everything
  }

  /// The way in which a child ended, and its peak memory.
  package struct Ended: Hashable, Sendable {
    package var ending: ProcessEnding
    /// The peak resident memory in bytes. Linux also counts the copy of this process before `exec`, so the
    /// value is rarely below a few tens of megabytes.
    package var peakMemory: Int
  }

  private enum State {
    case running
    case ended(Ended)
  }

  private let process: pid_t
  private let sharing: Sharing
  private let queue = DispatchQueue(label: "child process")
  private var state = State.running

  /// Starts the program at `path`.
  ///
  /// - Parameters:
  ///   - path: The program; PATH is not searched.
  ///   - name: The value of `argv[0]`; `nil` for `path`.
  ///   - arguments: The arguments without the program name.
  ///   - environment: Elements of the form `NAME=VALUE`; `nil` for the environment of this process.
  ///   - directory: The child's working directory; `nil` for the working directory of this process.
  ///   - streams: The child's standard input, output and error. They stay open in this process.
  ///   - sharing: The other resources that the child shares with this process.
  /// - Throws: `StartFailure` if the system cannot start a process or execute the program.
  package init(
    path: String, name: String? = nil, arguments: [String], environment: [String]? = nil,
    directory: String? = nil,
    streams: (input: Int32, output: Int32, errors: Int32), sharing: Sharing
  ) throws(StartFailure) {
    let descriptors = [streams.input, streams.output, streams.errors]
    let isolated: Int32 = if case .streams = sharing { 1 } else { 0 }
    var code: Int32 = 0
    process = unsafe withCStrings([name ?? path] + arguments) { arguments in
      unsafe withCStrings(environment ?? []) { variables in
        let process = unsafe linux_start_process(
          path, arguments, environment == nil ? nil : variables, directory, descriptors, isolated)
        code = errno
        return process
      }
    }
    self.sharing = sharing
    guard process > 0 else { throw StartFailure(errno: code) }
  }

  /// The reason why a program cannot be started.
  package struct StartFailure: Error, Hashable, Sendable {
    package var errno: Int32
    /// The system's message for `errno`.
    package var reason: String { unsafe String(cString: strerror(errno)) }
  }

  /// Waits until the child ends, and returns how it ended. Only one thread at a time may call this method.
  /// After the child has ended, the method returns at once.
  package func wait() -> Ended {
    while true {
      if let ended = collected() { return ended }
      // With WNOWAIT, `waitid` does not reap the child. `collect` reaps it on `queue`, so that `send` never
      // signals a reused process id.
      var information = unsafe siginfo_t()
      while unsafe waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
      queue.sync { collect(0) }
    }
  }

  /// Sends a signal to the child, and to all processes of its group if it has its own group. If the child has
  /// ended, nothing happens.
  package func send(_ signal: Int32) {
    queue.sync {
      // The child is not reaped yet, so the process id cannot belong to another process.
      guard case .running = state else { return }
      // The group exists: the child creates it before `exec`, and `init` returns after `exec`.
      if case .streams = sharing { _ = kill(-process, signal) }
      _ = kill(process, signal)
    }
  }

  private func collected() -> Ended? {
    queue.sync { if case .ended(let ended) = state { ended } else { nil } }
  }

  /// Reaps the child. This method must be called on `queue`.
  private func collect(_ options: Int32) {
    guard case .running = state else { return }
    var status: Int32 = 0
    var usage = rusage()
    var found: pid_t
    repeat { found = unsafe wait4(process, &status, options, &usage) } while found < 0 && errno == EINTR
    guard found == process else { return }
    state = .ended(
      Ended(ending: ProcessEnding(waitStatus: status), peakMemory: usage.ru_maxrss * 1024))
  }
}

extension ChildProcess {
  /// Reads `descriptor` to its end.
  ///
  /// - Parameters:
  ///   - descriptor: The reading end of a pipe. Everything is read, so that the child never blocks on a full
  ///     pipe.
  ///   - limit: The number of bytes to keep.
  /// - Returns: The first bytes, up to the limit.
  package static func output(of descriptor: Int32, keeping limit: Int = .max) -> [UInt8] {
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return output }
      output += buffer.prefix(min(count, limit - output.count))
    }
  }

  /// Creates a pipe whose ends are closed on exec.
  ///
  /// - Throws: `StartFailure` if no descriptors are available.
  package static func pipe() throws(StartFailure) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard unsafe linux_pipe(&ends) == 0 else { throw StartFailure(errno: errno) }
    return (ends[0], ends[1])
  }
}

internal import CLinux
internal import Concurrency
internal import Dispatch
internal import Files
internal import Foundation
internal import Glibc
package import System

/// A stage in a process of its own: its memory is given back, and its crash is an exit status.
package enum ChildProcess {
  private static let parentKey = "NIGHTJAR_PARENT"
  private static let lockKey = "NIGHTJAR_LOCK"

  /// What is known of a process that has ended.
  package struct Ended: Sendable {
    package var ending: ProcessEnding
    /// What it wrote to standard output.
    package var output: [UInt8]
    /// The most memory that it had at a time, in bytes, as the kernel counts pages in RAM. Linux does not count
    /// from 0: a process begins with the peak of the one that started it, here a few ten megabytes.
    package var peakMemory: Int
  }

  /// Runs the executable `name` that stands beside this one, and waits for it.
  ///
  /// The child inherits standard error and the lock, and dies with this process.
  ///
  /// - Parameters:
  ///   - name: As in `nightjar-fit`.
  ///   - arguments: Without the name.
  ///   - lock: The descriptor of the run's lock.
  /// - Returns: How it ended, and what it wrote to standard output (a few kilobytes at most).
  /// - Throws: `FileError` where it cannot be started.
  package static func run(_ name: String, _ arguments: [String], lock: Int32) throws -> Ended {
    let path = try executable(name)
    var pipe: [Int32] = [0, 0]
    guard unsafe Glibc.pipe(&pipe) == 0 else { throw FileError(.create, path, errno: errno) }
    defer { _ = close(pipe[0]) }
    // The child keeps only the copy of the writing end that becomes its standard output.
    for end in pipe { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }

    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, pipe[1], 1)

    var environment = ProcessInfo.processInfo.environment
    environment[parentKey] = String(getpid())
    environment[lockKey] = String(lock)
    // OpenBLAS starts its threads when a program is loaded; stages have their own, and hold it to one.
    environment["OPENBLAS_NUM_THREADS"] = environment["OPENBLAS_NUM_THREADS"] ?? "1"
    var process: pid_t = 0
    let code = unsafe withCStrings([path] + arguments) { arguments in
      unsafe withCStrings(environment.map { "\($0.key)=\($0.value)" }) { environment in
        unsafe posix_spawn(&process, path, &actions, nil, arguments, environment)
      }
    }
    _ = close(pipe[1])
    guard code == 0 else { throw FileError(.find, path, errno: code) }
    running.withLock { $0 = process }
    defer { running.withLock { $0 = nil } }
    // One that came while there was nobody to pass it on to.
    if let signal = Interruption.received { stop(by: signal) }
    let output = readAll(pipe[0])
    var status: Int32 = 0
    var usage = rusage()
    while unsafe wait4(process, &status, 0, &usage) < 0, errno == EINTR {}
    return Ended(
      ending: ProcessEnding(waitStatus: status), output: output,
      peakMemory: usage.ru_maxrss * 1024)
  }

  /// The child that runs right now.
  private static let running = Guarded<pid_t?>(nil)

  /// Passes a signal on to the child that runs right now, and ends it by force if it takes longer than ten seconds over that.
  package static func stop(by signal: Int32) {
    guard let child = running.withLock({ $0 }) else { return }
    _ = kill(child, signal)
    DispatchQueue.global().asyncAfter(deadline: .now() + 10) {
      // Only if it is still the same one: its number may be another's by then.
      running.withLock { if $0 == child { _ = kill(child, SIGKILL) } }
    }
  }

  /// Whether another process of this program started this one, and speaks for both.
  static var isChild: Bool { ProcessInfo.processInfo.environment[parentKey] != nil }

  /// To be called first by every stage's process: asks to die with the process that started it.
  ///
  /// - Returns: The descriptor of the lock that the starting process holds, or `nil` for a stage run by hand.
  package static func inherit() -> Int32? {
    let environment = ProcessInfo.processInfo.environment
    guard let parent = environment[parentKey].flatMap(Int32.init) else { return nil }
    _ = linux_signal_on_parent_death(SIGKILL)
    // The parent may have died before the request: then nobody waits for this stage.
    if getppid() != parent { exit(ExitStatus.tryAgain.rawValue) }
    guard let lock = environment[lockKey].flatMap(Int32.init), fcntl(lock, F_GETFD) >= 0 else { return nil }
    return lock
  }

  /// Whether the program `name` stands beside this one, to be run.
  package static func isThere(_ name: String) -> Bool {
    (try? executable(name)).map { unsafe access($0, X_OK) == 0 } ?? false
  }

  static func executable(_ name: String) throws(FileError) -> String {
    let link = "/proc/self/exe"
    guard let own = try? FileManager.default.destinationOfSymbolicLink(atPath: link) else {
      throw FileError(.read, link, reason: "it does not say where this program stands")
    }
    let path = Directories.parent(of: own) + "/" + name
    guard Directories.exists(path) else {
      throw FileError(
        .find, path, reason: "the program is missing",
        advice: "Keep all programs of a build in one directory.")
    }
    return path
  }

  private static func readAll(_ descriptor: Int32) -> [UInt8] {
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return output }
      output += buffer.prefix(count)
    }
  }
}

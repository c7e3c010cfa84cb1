internal import Foundation
internal import Glibc
internal import Synchronization

/// Runs a program as a separate process and collects its output.
///
/// Waiting blocks the thread on purpose, so that tests run at most as many programs at a time as there are processors.
public enum Program {
  /// The way in which a process ended.
  public enum Ending: Hashable, Sendable, CustomStringConvertible {
    case status(Int32)
    case signal(Int32)

    public var description: String {
      switch self {
      case .status(let status): "status \(status)"
      case .signal(let signal): "signal \(signal)"
      }
    }
  }

  /// A process that has ended.
  public struct Finished: Sendable {
    public var ending: Ending
    public var output: String
    public var errors: String

    /// The lines of standard output.
    public var lines: [String] {
      output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
  }

  /// The directory of this build's programs: beside the test executable, or the value of `NIGHTJAR_PROGRAMS`. A soak of
  /// release builds sets it.
  public static let products: String = {
    if let chosen = ProcessInfo.processInfo.environment["NIGHTJAR_PROGRAMS"], !chosen.isEmpty {
      return chosen
    }
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "."
    let directory = URL(filePath: own).deletingLastPathComponent().path
    // The names by which stages are called, as an installation has them.
    for command in ["ingest", "index", "fit", "rank", "evaluate", "publish", "report", "synthesize"] {
      let link = directory + "/nightjar-" + command
      if (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) == "nightjar" { continue }
      try? FileManager.default.removeItem(atPath: link)
      try? FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "nightjar")
    }
    return directory
  }()

  /// Whether the tests, and so the programs, were built with a sanitizer.
  public static let isSanitized = ["__asan_init", "__tsan_init"].contains { (name: String) in
    dlsym(nil, name) != nil
  }

  /// Runs `name`, a program of this package or the path of another program, until it exits and returns its result.
  ///
  /// The working directory is `directory`, by default inherited from the tests. Standard input is the file `input`, by
  /// default empty. Throws `Failure` if the program cannot be started.
  public static func run(
    _ name: String, _ arguments: [String], in directory: String? = nil, input: String = "/dev/null"
  ) throws -> Finished {
    try start(name, arguments, in: directory, input: input).wait()
  }

  /// Starts `name`, as `run` does, and returns at once.
  public static func start(
    _ name: String, _ arguments: [String], in directory: String? = nil, input: String = "/dev/null"
  ) throws -> RunningProgram {
    let path = name.contains("/") ? name : products + "/" + name
    let output = try Capture()
    let errors = try Capture()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output.descriptor, 1)
    posix_spawn_file_actions_adddup2(&actions, errors.descriptor, 2)
    // The new process must not inherit other tests' locks. Closing a descriptor twice is harmless.
    let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    for descriptor in open.compactMap({ Int32($0) }) where descriptor > 2 {
      posix_spawn_file_actions_addclose(&actions, descriptor)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A shell starts background jobs, such as a test run, with SIGINT ignored. Programs would inherit that.
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    // `env` becomes the program itself, so the process id is the program's.
    let command = directory.map { ["/usr/bin/env", "--chdir=" + $0, path] } ?? [path]
    var process: pid_t = 0
    let code = withCStrings(command + arguments) { arguments in
      withCStrings(environment) { posix_spawn(&process, command[0], &actions, &attributes, arguments, $0) }
    }
    guard code == 0 else { throw Failure("\(path): \(String(cString: strerror(code)))") }
    return RunningProgram(process, output, errors)
  }

  /// This process's environment. Under the address sanitizer, programs skip leak detection. ArgumentParser calls `exit`
  /// while its parser still holds arrays, which may be reported as leaks and change the exit status.
  private static var environment: [String] {
    var environment = ProcessInfo.processInfo.environment
    environment["ASAN_OPTIONS"] = [environment["ASAN_OPTIONS"], "detect_leaks=0"].compactMap { $0 }
      .joined(separator: ":")
    return environment.map { "\($0.key)=\($0.value)" }
  }

  public struct Failure: Error, CustomStringConvertible {
    public var description: String

    init(_ description: String) {
      self.description = description
    }
  }

  /// The processes among whose arguments `text` occurs, zombies excluded.
  public static func processes(mentioning text: String) -> [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { Int32($0) }.filter { process in
      guard process != getpid(), let bytes = FileManager.default.contents(atPath: "/proc/\(process)/cmdline")
      else { return false }
      return String(decoding: bytes, as: UTF8.self).contains(text)
    }
  }

  /// The processes that `process` has started and not yet waited for.
  public static func children(of process: Int32) -> [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { Int32($0) }.filter { child in
      let status = FileManager.default.contents(atPath: "/proc/\(child)/stat") ?? Data()
      // Number, name in parentheses, state, parent.
      let fields =
        String(decoding: status, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
      return fields.count > 1 && Int32(fields[1]) == process
    }
  }

  /// The name of `process` in lists of processes; empty if the process has exited.
  public static func name(of process: Int32) -> String {
    // A zombie has a name but no program.
    guard (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")) != nil,
      let name = FileManager.default.contents(atPath: "/proc/\(process)/comm")
    else { return "" }
    return String(decoding: name.dropLast(), as: UTF8.self)
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    let pointers = strings.map { strdup($0) } + [nil]
    defer { pointers.forEach { free($0) } }
    return pointers.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { preconditionFailure("an array with an element has a base") }
      return body(base)
    }
  }
}

/// A process that may still run. The caller that starts one must wait for it.
public final class RunningProgram: Sendable {
  public let process: Int32
  private let output: Capture
  private let errors: Capture
  private let ending = Mutex<Program.Ending?>(nil)

  init(_ process: Int32, _ output: Capture, _ errors: Capture) {
    self.process = process
    self.output = output
    self.errors = errors
  }

  /// Whether the process still runs.
  public var isRunning: Bool { poll() == nil }

  /// Kills the process at once. Does nothing if the process has exited.
  public func kill() {
    ending.withLock { if $0 == nil { _ = Glibc.kill(process, SIGKILL) } }
  }

  /// Waits for the end.
  ///
  /// The limit is a safety net for a process that hangs, which is killed then; no test depends on it.
  public func wait(limit: Duration = .seconds(600)) -> Program.Finished {
    let clock = ContinuousClock()
    let deadline = clock.now + limit
    while true {
      if let ending = poll() {
        return Program.Finished(ending: ending, output: output.text, errors: errors.text)
      }
      if clock.now > deadline { kill() }
      usleep(1000)
    }
  }

  private func poll() -> Program.Ending? {
    ending.withLock { ending in
      if let ending { return ending }
      var status: Int32 = 0
      guard waitpid(process, &status, WNOHANG) == process else { return nil }
      // The macros WIFSIGNALED and WEXITSTATUS, which Swift does not import.
      let signal = status & 0x7F
      ending = signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal)
      return ending
    }
  }
}

/// An unnamed file for a process's output. Unlike a pipe, it never blocks the writer.
final class Capture: Sendable {
  let descriptor: Int32

  init() throws(Program.Failure) {
    var name = Array((NSTemporaryDirectory() + "/nightjar-capture-XXXXXX").utf8CString)
    descriptor = mkstemp(&name)
    guard descriptor >= 0 else { throw Program.Failure("mkstemp: \(String(cString: strerror(errno)))") }
    unlink(&name)
  }

  deinit { _ = close(descriptor) }

  var text: String {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return "" }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}

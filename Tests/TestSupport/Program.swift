internal import Foundation
internal import Glibc
internal import Synchronization

/// Runs a program as a separate process and returns its output.
///
/// Waiting blocks the thread deliberately. This way, tests run at most as many programs at the same
/// time as there are processors.
public enum Program {
  /// How a process ended.
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

  /// The directory of the built programs. It is the directory of the test executable, or the value
  /// of `NIGHTJAR_PROGRAMS`, which a soak test of release builds sets.
  public static let products: String = {
    if let chosen = ProcessInfo.processInfo.environment["NIGHTJAR_PROGRAMS"], !chosen.isEmpty {
      return chosen
    }
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "."
    let directory = URL(filePath: own).deletingLastPathComponent().path
    // An installation has these names for the stages, so the tests create them too.
    for command in ["ingest", "index", "fit", "rank", "evaluate", "publish", "report", "synthesize"] {
      let link = directory + "/nightjar-" + command
      if (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) == "nightjar" { continue }
      try? FileManager.default.removeItem(atPath: link)
      try? FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "nightjar")
    }
    return directory
  }()

  /// Whether the tests and the programs were built with a sanitizer.
  public static let isSanitized = ["__asan_init", "__tsan_init"].contains { (name: String) in
    dlsym(nil, name) != nil
  }

  /// Runs `name` to its end and returns the result. `name` is a program of this package or the path
  /// of another program.
  ///
  /// The process runs in `directory`, or in the working directory of the tests. Standard input is
  /// the file `input`, or empty. Throws `Failure` if the program cannot be started.
  public static func run(
    _ name: String, _ arguments: [String], in directory: String? = nil, input: String = "/dev/null"
  ) throws -> Finished {
    try start(name, arguments, in: directory, input: input).wait()
  }

  /// Starts `name` like `run`, but returns at once.
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
    // The new process must not inherit locks of other tests. Closing a descriptor twice is
    // harmless.
    let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    for descriptor in open.compactMap({ Int32($0) }) where descriptor > 2 {
      posix_spawn_file_actions_addclose(&actions, descriptor)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A shell starts background jobs with SIGINT ignored, and programs would inherit this.
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    // `env` replaces itself with the program, so the process id belongs to the program.
    let command = directory.map { ["/usr/bin/env", "--chdir=" + $0, path] } ?? [path]
    var process: pid_t = 0
    let code = withCStrings(command + arguments) { arguments in
      withCStrings(environment) { posix_spawn(&process, command[0], &actions, &attributes, arguments, $0) }
    }
    guard code == 0 else { throw Failure("\(path): \(String(cString: strerror(code)))") }
    return RunningProgram(process, output, errors)
  }

  /// The environment of this process. Under the address sanitizer, programs skip leak detection.
  /// ArgumentParser calls `exit` while its parser holds arrays. These could be reported as leaks
  /// and change the exit status.
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

  /// Returns the processes that have `text` in their arguments, without zombies.
  public static func processes(mentioning text: String) -> [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { Int32($0) }.filter { process in
      guard process != getpid(), let bytes = FileManager.default.contents(atPath: "/proc/\(process)/cmdline")
      else { return false }
      return String(decoding: bytes, as: UTF8.self).contains(text)
    }
  }

  /// Returns the running child processes of `process`, and those that it has not waited for.
  public static func children(of process: Int32) -> [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { Int32($0) }.filter { child in
      let status = FileManager.default.contents(atPath: "/proc/\(child)/stat") ?? Data()
      // The fields are the number, the name in parentheses, the state and the parent.
      let fields =
        String(decoding: status, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
      return fields.count > 1 && Int32(fields[1]) == process
    }
  }

  /// Returns the name of `process`, or an empty text if it has exited.
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

/// A process that may still run. Its creator must wait for it.
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

  /// Waits for the end of the process.
  ///
  /// The limit only protects against a process that hangs. Such a process is killed. No test
  /// depends on the limit.
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
      // Swift does not import the macros WIFSIGNALED and WEXITSTATUS.
      let signal = status & 0x7F
      ending = signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal)
      return ending
    }
  }
}

/// An unnamed file for the output of a process. Unlike a pipe, it never blocks the writer.
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

import Foundation
import Testing
import TestSupport

/// Runs a program under strace. Lists the system calls that write output, makes one of them fail,
/// or kills the program there.
///
/// A call is selected by name, path and count (`strace -P`), so it is the same call for any number
/// of threads. With `-D`, the tracer is a separate process, so the test waits for the program
/// itself.
enum TracedProgram {
  static let isAvailable = Command.path(of: "strace") != nil && !Program.isSanitized

  /// One system call of a program.
  struct Point: Hashable, Sendable, CustomTestStringConvertible {
    var call: String
    /// The path, with `%PID%` in place of the program's process id.
    var path: String
    /// The ordinal of the call among calls with the same name and path, starting at 1.
    var count: Int

    var testDescription: String { "\(call) \(path) \(count)" }
  }

  /// The fault that is injected at a call.
  enum Fault: Hashable, Sendable, CaseIterable {
    case kill
    case error(String)

    static let errors = ["ENOSPC", "EIO", "EDQUOT", "EMFILE", "EINTR"]
    static let allCases: [Fault] = [.kill] + errors.map { .error($0) }

    var name: String {
      switch self {
      case .kill: "SIGKILL"
      case .error(let name): name
      }
    }

    fileprivate var injection: String {
      switch self {
      case .kill: "signal=KILL"
      case .error(let name): "error=\(name)"
      }
    }
  }

  /// The system calls that create, change, sync, rename or remove files. `close` is omitted,
  /// because it follows a sync or an error.
  private static let calls = [
    "openat", "write", "writev", "pwrite64", "pwritev", "fsync", "fdatasync", "sync_file_range", "rename",
    "renameat",
    "renameat2", "mkdir", "mkdirat", "unlink", "unlinkat", "rmdir", "ftruncate", "fallocate", "link",
    "linkat", "symlink", "symlinkat", "fcntl", "fchmod", "flock",
  ]

  /// Runs a program to its end and returns its calls on files under `root` in order.
  static func points(_ program: String, _ arguments: [String], under root: String) throws -> (
    points: [Point], ended: Program.Finished
  ) {
    let directory = try ScratchDirectory()
    let log = directory("trace")
    let trace = ["-f", "-qq", "-y", "-o", log, "-e", "trace=" + calls.joined(separator: ",")]
    let path = program.contains("/") ? program : Program.products + "/" + program
    let ended = try Program.run(Command.path(of: "strace") ?? "strace", trace + [path] + arguments)
    var counts: [String: Int] = [:]
    var points: [Point] = []
    for line in try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n") {
      guard let (call, path) = parse(line), path.hasPrefix(root) else { continue }
      counts[call + path, default: 0] += 1
      points.append(Point(call: call, path: path, count: counts[call + path, default: 0]))
    }
    return (points, ended)
  }

  /// Returns the call and the path of a line such as `17 fsync(4</a/b>) = 0`, or `nil` if the call
  /// writes nothing.
  private static func parse(_ line: Substring) -> (call: String, path: String)? {
    guard let found = line.prefixMatch(of: #/(\d+) +([a-z0-9_]+)\((.*)/#) else { return nil }
    let (process, call, rest) = (found.1, String(found.2), found.3)
    switch call {
    case "openat":
      let writes = ["O_CREAT", "O_WRONLY", "O_RDWR", "O_DIRECTORY"].contains { rest.contains($0) }
      guard writes else { return nil }
    case "fcntl":
      // Locks and flags do not change files.
      guard rest.contains("F_DUPFD") else { return nil }
    default: break
    }
    var path: Substring?
    if let descriptor = rest.prefixMatch(of: #/\d+<([^>]*)>/#) {
      path = descriptor.1
    } else {
      path = rest.matches(of: #/"(/[^"]*)"/#).last?.1
    }
    return path.map { (call, String($0.replacing(".\(process).partial", with: ".%PID%.partial"))) }
  }

  /// The result of a program with an injected fault.
  struct Outcome {
    var ended: Program.Finished
    /// Whether the program reached the call.
    var hasFired: Bool
  }

  /// Runs a program with a fault at one call.
  static func run(
    _ program: String, _ arguments: [String], _ fault: Fault, at point: Point
  ) throws -> Outcome {
    let directory = try ScratchDirectory()
    let log = directory("trace")
    // With `--seccomp-bpf`, the kernel filters system calls. strace then cannot deliver signals.
    let filter = fault == .kill ? "" : "--seccomp-bpf"
    let script = """
      path=$(printf %s "$1" | sed "s/%PID%/$$/g"); log=$2; call=$3; inject=$4; shift 4
      exec strace -D -f -qq \(filter) -o "$log" -P "$path" -e "trace=$call" -e "inject=$call:$inject" "$@"
      """
    let path = program.contains("/") ? program : Program.products + "/" + program
    let ended = try Program.run(
      "/bin/sh",
      [
        "-c", script, "sh", point.path, log, point.call, "\(fault.injection):when=\(point.count)", path,
      ] + arguments)
    if fault == .kill { return Outcome(ended: ended, hasFired: ended.ending == .signal(9)) }
    return Outcome(ended: ended, hasFired: saysInjected(log))
  }

  /// Whether the tracer reported the injection. The tracer may end shortly after the program.
  private static func saysInjected(_ log: String) -> Bool {
    for _ in 0..<200 {
      let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
      if text.contains("(INJECTED)") { return true }
      usleep(1000)
    }
    return false
  }
}

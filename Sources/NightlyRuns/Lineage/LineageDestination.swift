internal import CLinux
internal import Files
internal import Foundation
internal import Glibc
package import System
package import Text

/// The destination of a run's lineage events: a file with one JSON object per line, or an HTTP service.
///
/// The program `curl` sends the events to a service. It reads the service's address and API key from standard
/// input, because other users of the machine can read the arguments of a process.
package struct LineageDestination: Sendable {
  private enum Place: Sendable {
    case file(String)
    case service(url: String, key: String?)
  }

  /// The environment variable with the API key of the service. The clients of OpenLineage use the same
  /// variable.
  package static let keyVariable = "OPENLINEAGE_API_KEY"
  /// The environment variable with the namespace of the jobs.
  package static let namespaceVariable = "OPENLINEAGE_NAMESPACE"
  /// The path on the service to which events are sent if the address contains no path.
  private static let usualPath = "/api/v1/lineage"
  /// The time limit for one event, in seconds. A service that does not answer delays the run by at most this
  /// time, because no event is sent after a failure.
  private static let mostSeconds = 10

  private let place: Place
  /// The namespace of the jobs.
  package let namespace: String

  /// Creates a destination from the argument of `--lineage`.
  ///
  /// - Parameters:
  ///   - text: The path of a file, or an address that begins with `http://` or `https://`.
  ///   - environment: The environment variables of the process.
  /// - Throws: `StageFailure` with `usage` if the address has another scheme, no host, or a password.
  package init(
    _ text: String, _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(StageFailure) {
    namespace = environment[Self.namespaceVariable].flatMap { $0.isEmpty ? nil : $0 } ?? "nightjar"
    guard let scheme = text.firstRange(of: "://").map({ text[..<$0.lowerBound].lowercased() }) else {
      place = .file(text)
      return
    }
    guard ["http", "https"].contains(scheme), var url = URLComponents(string: text),
      url.host?.isEmpty == false
    else {
      throw StageFailure(
        .usage,
        "--lineage is neither a file nor an address that begins with http:// or https://. Pass the path of a "
          + "file, or an address such as https://lineage.example.org.")
    }
    guard url.password == nil else {
      throw StageFailure(
        .usage,
        "--lineage contains a password, which other users of this machine could read. Set \(Self.keyVariable) instead."
      )
    }
    if url.path.isEmpty || url.path == "/" { url.path = Self.usualPath }
    place = .service(url: url.string ?? text, key: environment[Self.keyVariable])
  }

  /// Sends an event.
  ///
  /// - Throws: `FileError` if the file, or the input of curl, cannot be written; `StageFailure` with
  ///   `storeUnavailable` if curl is missing or cannot be started, or if the service did not accept the
  ///   event.
  package func send(_ event: JSONValue) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let line = try encoder.encode(event)
    switch place {
    case .file(let path): try Self.append(Array(line) + [0x0A], to: path)
    case .service(let url, let key): try Self.post(String(decoding: line, as: UTF8.self), to: url, key: key)
    }
  }

  /// Appends a whole line in one call, so that the lines of two runs do not mix.
  private static func append(_ bytes: [UInt8], to path: String) throws(FileError) {
    let file = unsafe open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o640)
    guard file >= 0 else { throw FileError(.create, path, errno: errno) }
    defer { _ = close(file) }
    let written = unsafe bytes.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
    guard written == bytes.count else { throw FileError(.write, path, errno: written < 0 ? errno : ENOSPC) }
  }

  private static func post(_ event: String, to url: String, key: String?) throws {
    guard let program = path(of: "curl") else {
      throw StageFailure(
        .storeUnavailable, "the program curl is not on PATH. Install it: apt-get install curl")
    }
    func quoted(_ text: String) -> String {
      "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
    var lines = [
      "silent", "show-error", "fail", "max-time = \(mostSeconds)", "output = /dev/null",
      "url = \(quoted(url))", "header = \"Content-Type: application/json\"", "data-raw = \(quoted(event))",
    ]
    if let key, !key.isEmpty { lines.append("header = \(quoted("Authorization: Bearer " + key))") }
    let message = try run(program, input: lines.joined(separator: "\n") + "\n")
    guard let message else { return }
    throw StageFailure(
      .storeUnavailable,
      (message.isEmpty ? "the service did not accept the event" : message)
        + ". Check the address in --lineage, and \(keyVariable).")
  }

  /// Runs curl with the configuration `input`. Returns `nil` if curl succeeded, and otherwise the first line
  /// of its error output.
  private static func run(_ program: String, input: String) throws -> String? {
    // The input is an anonymous file in memory, because the buffer of a pipe may be smaller than the event.
    let file = unsafe linux_memory_file("lineage")
    guard file >= 0 else { throw FileError(.create, "lineage", errno: errno) }
    defer { _ = close(file) }
    let bytes = Array(input.utf8)
    guard unsafe bytes.withUnsafeBytes({ unsafe write(file, $0.baseAddress, $0.count) }) == bytes.count,
      lseek(file, 0, SEEK_SET) == 0
    else { throw FileError(.write, "lineage", errno: errno) }
    do throws(ChildProcess.StartFailure) {
      let pipe = try ChildProcess.pipe()
      defer { _ = close(pipe.read) }
      let child: ChildProcess
      do throws(ChildProcess.StartFailure) {
        child = try ChildProcess(
          path: program, name: "curl", arguments: ["--config", "-"], streams: (file, 1, pipe.write),
          sharing: .streams)
      } catch {
        _ = close(pipe.write)
        throw error
      }
      _ = close(pipe.write)
      let errors = ChildProcess.output(of: pipe.read, keeping: 1000)
      let ended = child.wait()
      if ended.ending == .status(0) { return nil }
      return String(decoding: errors, as: UTF8.self).split(separator: "\n").first.map(String.init) ?? ""
    } catch {
      throw StageFailure(
        .storeUnavailable, "curl cannot be started: \(error.reason). Check that 'curl --version' runs.")
    }
  }

  private static func path(of program: String) -> String? {
    let folders = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return folders.split(separator: ":").map { "\($0)/\(program)" }.first { unsafe access($0, X_OK) == 0 }
  }
}

internal import CLinux
internal import Foundation
internal import Glibc
internal import System
internal import Text

/// A Python program with vl-convert, which renders Vega-Lite. One process renders all charts of a page,
/// without a browser or a network.
package struct ChartProgram: Sendable {
  /// The path of the Python interpreter.
  let path: String
  /// The time limit, after which the process is killed.
  let timeout: Duration

  package init(path: String, timeout: Duration = .seconds(120)) {
    (self.path, self.timeout) = (path, timeout)
  }

  /// The interpreter that `make charts` installs next to the build of this program; `nil` if there is none.
  package static func besideBuild() -> ChartProgram? {
    guard let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else {
      return nil
    }
    var folder = URL(filePath: own).deletingLastPathComponent()
    while folder.path != "/" {
      let program = folder.path + "/charts/bin/python3"
      if folder.lastPathComponent == ".build" {
        return unsafe access(program, X_OK) == 0 ? ChartProgram(path: program) : nil
      }
      folder = folder.deletingLastPathComponent()
    }
    return nil
  }

  /// Why the program cannot draw; `nil` if it can. It starts the program once, without a chart.
  package func failure() -> String? {
    do {
      _ = try draw([])
      return nil
    } catch {
      return error.description
    }
  }

  /// Renders `specifications`.
  ///
  /// - Returns: The drawings as SVG, in the same order.
  /// - Throws: `ChartFailure`.
  func draw(_ specifications: [JSONValue]) throws(ChartFailure) -> [String] {
    let output = try run(input: JSONValue.array(specifications).pretty)
    do {
      let drawn = try JSONDecoder().decode([String].self, from: Data(output))
      guard drawn.count == specifications.count else {
        throw ChartFailure("it returned \(drawn.count) drawings for \(specifications.count) charts")
      }
      return drawn
    } catch let failure as ChartFailure {
      throw failure
    } catch {
      throw ChartFailure("its output is not a JSON list of drawings")
    }
  }

  private static let script = """
    import json, sys
    import vl_convert
    print(json.dumps([vl_convert.vegalite_to_svg(chart) for chart in json.load(sys.stdin)]))
    """

  /// The standard output of the interpreter for the standard input `input`.
  private func run(input: [UInt8]) throws(ChartFailure) -> [UInt8] {
    // Input and output are files in memory, so that neither process waits for the other to read.
    let (given, written, errors) = (try MemoryFile(), try MemoryFile(), try MemoryFile())
    try given.write(input)
    // The interpreter ignores the user's settings and home directory, so that only the installed program
    // affects charts.
    let child: ChildProcess
    do throws(ChildProcess.StartFailure) {
      child = try ChildProcess(
        path: path, arguments: ["-I", "-c", Self.script],
        streams: (given.descriptor, written.descriptor, errors.descriptor), sharing: .streams)
    } catch {
      throw ChartFailure("the Python interpreter could not be started")
    }
    guard let ended = child.wait(atMost: timeout) else {
      child.send(SIGKILL)
      _ = child.wait()
      throw ChartFailure("it did not finish within \(timeout.components.seconds) s")
    }
    guard ended.ending == .status(0) else {
      let lines = String(decoding: errors.bytes.suffix(4_096), as: UTF8.self).split(separator: "\n")
      throw ChartFailure(lines.last.map(String.init) ?? "it ended without a message")
    }
    return written.bytes
  }
}

/// The reason why charts are not rendered.
struct ChartFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// An anonymous file in memory.
private final class MemoryFile {
  let descriptor: Int32

  init() throws(ChartFailure) {
    descriptor = unsafe linux_memory_file("nightjar-charts")
    guard descriptor >= 0 else { throw ChartFailure("an in-memory file could not be created") }
  }

  deinit { _ = close(descriptor) }

  /// Writes all of `bytes` and rewinds the file to its start.
  func write(_ bytes: [UInt8]) throws(ChartFailure) {
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress.map { unsafe $0 + done }, $0.count - done)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw ChartFailure("memory is full") }
      done += count
    }
    _ = lseek(descriptor, 0, SEEK_SET)
  }

  /// The content of the file.
  var bytes: [UInt8] {
    _ = lseek(descriptor, 0, SEEK_SET)
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return all }
      all += buffer.prefix(count)
    }
  }
}

internal import CLinux
internal import Foundation
internal import Glibc
internal import System
internal import Text

/// Python with vl-convert, which draws Vega-Lite: all charts of a page in one process, without a browser or a network.
package struct ChartProgram: Sendable {
  /// The interpreter.
  let path: String
  /// How long it may take; it is killed then.
  let timeout: Duration

  package init(path: String, timeout: Duration = .seconds(120)) {
    (self.path, self.timeout) = (path, timeout)
  }

  /// The interpreter that `make charts` puts beside the build that this program is of; `nil` where there is none.
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

  /// Draws `specifications`.
  ///
  /// - Returns: The drawings in the same order, as SVG.
  /// - Throws: `ChartFailure`.
  func draw(_ specifications: [JSONValue]) throws(ChartFailure) -> [String] {
    let output = try run(input: JSONValue.array(specifications).pretty)
    do {
      let drawn = try JSONDecoder().decode([String].self, from: Data(output))
      guard drawn.count == specifications.count else {
        throw ChartFailure("it drew \(drawn.count) of \(specifications.count) charts")
      }
      return drawn
    } catch let failure as ChartFailure {
      throw failure
    } catch {
      throw ChartFailure("what it wrote is not what was asked for")
    }
  }

  private static let script = """
    import json, sys
    import vl_convert
    print(json.dumps([vl_convert.vegalite_to_svg(chart) for chart in json.load(sys.stdin)]))
    """

  /// What the interpreter writes when it is given `input`.
  private func run(input: [UInt8]) throws(ChartFailure) -> [UInt8] {
    // In memory, so that neither of the two ever waits for the other to read.
    let (given, written, errors) = (try MemoryFile(), try MemoryFile(), try MemoryFile())
    try given.write(input)
    // Only its own settings, and no home folder: charts are drawn by the installed program alone.
    let child: ChildProcess
    do throws(ChildProcess.StartFailure) {
      child = try ChildProcess(
        path: path, arguments: ["-I", "-c", Self.script],
        streams: (given.descriptor, written.descriptor, errors.descriptor), sharing: .streams)
    } catch {
      throw ChartFailure("it could not be started")
    }
    guard let ended = child.wait(atMost: timeout) else {
      child.send(SIGKILL)
      _ = child.wait()
      throw ChartFailure("it took longer than \(timeout.components.seconds) s")
    }
    guard ended.ending == .status(0) else {
      let lines = String(decoding: errors.bytes.suffix(4_096), as: UTF8.self).split(separator: "\n")
      throw ChartFailure(lines.last.map(String.init) ?? "it ended without a word")
    }
    return written.bytes
  }
}

/// Why there are no drawings.
struct ChartFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// A file without a name, in memory.
private final class MemoryFile {
  let descriptor: Int32

  init() throws(ChartFailure) {
    descriptor = unsafe linux_memory_file("nightjar-charts")
    guard descriptor >= 0 else { throw ChartFailure("there is no memory for a file") }
  }

  deinit { _ = close(descriptor) }

  /// Writes all of `bytes`, to be read from the first.
  func write(_ bytes: [UInt8]) throws(ChartFailure) {
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress.map { unsafe $0 + done }, $0.count - done)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw ChartFailure("there is no memory for what is to be drawn") }
      done += count
    }
    _ = lseek(descriptor, 0, SEEK_SET)
  }

  /// Everything in it.
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

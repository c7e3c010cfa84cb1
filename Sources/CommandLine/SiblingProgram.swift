internal import Files
internal import Glibc
internal import System

/// Another program of the same build, in the same folder as this one.
package enum SiblingProgram {
  /// Goes on as the program `name`: with its arguments, and with the streams and the number of this process.
  ///
  /// - Parameters:
  ///   - name: As in `nightjar-synthesize`.
  ///   - arguments: Without the name.
  /// - Throws: `FileError` if it cannot be started.
  package static func become(_ name: String, _ arguments: [String]) throws -> Never {
    let path = try StageProcess.executable(name)
    _ = unsafe withCStrings([path] + arguments) { unsafe execv(path, $0) }
    throw FileError(.find, path, errno: errno)
  }
}

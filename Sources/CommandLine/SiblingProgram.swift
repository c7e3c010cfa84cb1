internal import Files
internal import Glibc
internal import System

/// Another program of the same build, in the same directory as this one.
package enum SiblingProgram {
  /// Replaces this process with the program `name`, which keeps the streams and the process id.
  ///
  /// - Parameters:
  ///   - name: The name of the program, such as `nightjar-synthesize`.
  ///   - arguments: The arguments without the name.
  /// - Throws: `FileError` if it cannot be started.
  package static func become(_ name: String, _ arguments: [String]) throws -> Never {
    let path = try StageProcess.executable(name)
    _ = unsafe withCStrings([path] + arguments) { unsafe execv(path, $0) }
    throw FileError(.find, path, errno: errno)
  }
}

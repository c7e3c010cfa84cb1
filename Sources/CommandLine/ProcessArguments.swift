internal import CLinux
internal import Files
internal import Foundation

/// Reads the command line of this process.
package enum ProcessArguments {
  /// Returns the name of the command and the arguments after it.
  ///
  /// The program can also be started under a separate name for each command: `nightjar-fit` means
  /// `nightjar fit`.
  ///
  /// - Throws: `FileError` if the arguments are available only in `/proc`, and `/proc` is not mounted.
  package static func all() throws -> [String] {
    let given = try complete()
    let prefix = "nightjar-"
    let name = given.first?.split(separator: "/").last ?? ""
    showName(String(name))
    return (name.hasPrefix(prefix) ? [String(name.dropFirst(prefix.count))] : []) + given.dropFirst()
  }

  /// Returns the name of the program and the arguments.
  ///
  /// Swift searches for the arguments next to the environment in memory. The search fails if a preloaded
  /// library such as libfaketime has moved the environment. In this case, the arguments come from `/proc`.
  private static func complete() throws -> [String] {
    guard CommandLine.arguments.isEmpty else { return CommandLine.arguments }
    // Each argument ends with a zero byte.
    let path = "/proc/self/cmdline"
    guard let line = FileManager.default.contents(atPath: path), !line.isEmpty else {
      throw FileError(.read, path, reason: "the file is missing or empty", advice: "Mount /proc.")
    }
    return line.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  /// Makes process lists show `name` for this process. A run starts its stages as `/proc/self/exe`, so
  /// process lists would otherwise show `exe`.
  private static func showName(_ name: String) { unsafe linux_name_process(name) }
}

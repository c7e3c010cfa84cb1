package import ArgumentParser
internal import Foundation

/// What this process was called with.
package enum ProcessArguments {
  /// The arguments after the program's name.
  ///
  /// Swift finds them beside the environment, and finds none once a preloaded library, libfaketime for one, has moved the
  /// environment by setting a variable. The system is asked then.
  package static var afterName: [String] {
    guard CommandLine.arguments.isEmpty else { return Array(CommandLine.arguments.dropFirst()) }
    // Each ends with a zero byte.
    let line = FileManager.default.contents(atPath: "/proc/self/cmdline") ?? Data()
    return line.split(separator: 0, omittingEmptySubsequences: false).dropFirst().dropLast().map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}

/// A program of Nightjar.
package protocol Executable: ParsableCommand {}

extension Executable {
  package static func main() {
    main(ProcessArguments.afterName)
  }
}

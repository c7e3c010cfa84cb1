package import ArgumentParser
internal import Foundation

/// The arguments of this process.
package enum ProcessArguments {
  /// The arguments after the program's name.
  ///
  /// Swift looks for them next to the environment. It finds none if a preloaded library such as libfaketime
  /// has moved the environment by setting a variable. In that case they are read from the system.
  package static var afterName: [String] {
    guard CommandLine.arguments.isEmpty else { return Array(CommandLine.arguments.dropFirst()) }
    // Each argument ends with a zero byte.
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

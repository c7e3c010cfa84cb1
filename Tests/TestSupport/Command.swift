internal import Foundation

/// Runs third-party programs for checks against an independent implementation.
public enum Command {
  /// Returns the path of `name` in the directories of PATH, or `nil`.
  public static func path(of name: String) -> String? {
    let directories = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return directories.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Runs `name` and returns its output and its status.
  public static func run(_ name: String, _ arguments: [String]) throws -> (output: String, status: Int32) {
    let process = Process()
    process.executableURL = URL(filePath: path(of: name) ?? name)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (String(decoding: data, as: UTF8.self), process.terminationStatus)
  }

  /// Whether a Python with NumPy is installed.
  public static let hasNumPy: Bool =
    path(of: "python3") != nil && (try? run("python3", ["-c", "import numpy"]).status) == 0
}

/// A command of Nightjar in a message. The reader can paste it into a shell.
package enum ShownCommand {
  /// The work directory of commands without `--work`.
  package static let usualWork = "var"

  /// Returns a command with a pipeline file.
  ///
  /// - Parameters:
  ///   - name: The name of the command.
  ///   - pipelineFile: The path of the pipeline file.
  ///   - overrides: The values of `--set`.
  ///   - work: The work directory; `nil` if the command has no option `--work`.
  ///   - options: Further options and their values, one word per element.
  /// - Returns: The command `nightjar NAME FILE`, quoted for a shell.
  package static func text(
    _ name: String, _ pipelineFile: String, set overrides: [String] = [], work: String? = nil,
    _ options: String...
  ) -> String {
    var words = ["nightjar", name, pipelineFile] + options
    if let work, work != usualWork { words += ["--work", work] }
    for override in overrides { words += ["--set", override] }
    return words.map(quoted).joined(separator: " ")
  }

  /// Returns `word` for a shell, in quotes unless all its characters are usual in paths.
  private static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"): true
      default: "/._-+:=,@%".utf8.contains(byte)
      }
    }
    if isPlain, !word.isEmpty { return word }
    let parts = word.split(separator: "'", omittingEmptySubsequences: false)
    return "'" + parts.joined(separator: #"'\''"#) + "'"
  }
}

/// Lets `nightjar show --user -- --json` work for the id `--`, because ArgumentParser would take it for the end of
/// the options.
enum AnyIDs {
  /// The commands with ids or keys as values, and the options that take them.
  private static let commands: Set = ["show", "explain", "erase"]
  private static let options: Set = ["--user", "--candidate", "--key"]

  /// Joins each such option with its value: `--user=--`. In this form, any value is taken as it is.
  static func joined(_ arguments: [String]) -> [String] {
    guard let command = arguments.first, commands.contains(command) else { return arguments }
    var result: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" { return result + [argument] + rest }
      // Other values stay apart: a combining mark at the beginning would merge with the equals sign.
      guard options.contains(argument), rest.first == "--" else {
        result.append(argument)
        continue
      }
      rest.removeFirst()
      result.append("\(argument)=--")
    }
    return result
  }
}

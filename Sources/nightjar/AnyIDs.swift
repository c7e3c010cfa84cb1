import ArgumentParser

/// Passes ids to ArgumentParser that it would otherwise misunderstand.
///
/// The parser would take the id `--` in `nightjar show --user -- --json` for the end of the options. It would
/// take `--dry-run` for the id in `nightjar erase --user= --dry-run`.
enum AnyIDs {
  /// The commands with options that take an id or a catalog key. `options` contains these options.
  private static let commands: Set = ["show", "explain", "erase"]
  private static let options: Set = ["--user", "--candidate", "--key"]

  /// Joins an option that takes an id with the value `--`, as in `--user=--`. In this form, the parser
  /// accepts any value.
  ///
  /// - Throws: `ValidationError` for an option with an empty value, as in `--user=`.
  static func joined(_ arguments: [String]) throws -> [String] {
    guard let command = arguments.first, commands.contains(command) else { return arguments }
    var result: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" { return result + [argument] + rest }
      if let option = options.first(where: { argument == $0 + "=" }) {
        throw ValidationError("\(option) must not be empty.")
      }
      guard options.contains(argument), let value = rest.popFirst() else {
        result.append(argument)
        continue
      }
      // Other values stay separate arguments, because a combining mark at their beginning would merge with
      // the equals sign.
      result += value == "--" ? ["\(argument)=--"] : [argument, value]
    }
    return result
  }
}

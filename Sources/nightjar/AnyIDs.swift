import ArgumentParser

/// Rewrites the command line so that ArgumentParser accepts ids that look like options.
///
/// Without this step, the parser would treat the id `--` in `nightjar show --user -- --json` as the end of
/// the options. In `nightjar erase --user= --dry-run`, it would treat `--dry-run` as the id.
enum AnyIDs {
  /// The commands that have at least one of `options`.
  private static let commands: Set = ["show", "explain", "erase"]
  /// The options that take an id or a catalog key.
  static let options: Set = ["--user", "--candidate", "--key"]

  /// Replaces an option and its separate value `--` with one argument, as in `--user=--`. In this form, the
  /// parser accepts any value.
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

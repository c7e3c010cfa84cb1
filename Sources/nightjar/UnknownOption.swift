import ArgumentParser
import Readers
import Text

/// Suggests a name for a misspelled option if the parser rejects the command line for another reason. For
/// `nightjar erase --usr ID`, the parser alone would only report that `--user` is missing.
enum UnknownOption {
  /// Checks that `arguments` contain no misspelled option of `command`.
  ///
  /// - Throws: `ValidationError` for the first misspelled option, with the most similar option.
  static func check(
    _ arguments: [String], of command: any ParsableCommand.Type
  ) throws(ValidationError) {
    let names = names(of: command)
    var rest = arguments.prefix { $0 != "--" }
    while let argument = rest.popFirst() {
      // The value of these options may look like an option.
      if AnyIDs.options.contains(argument) { _ = rest.popFirst() }
      let name = String(argument.prefix { $0 != "=" })
      guard name.hasPrefix("--"), !names.contains(name), let similar = nearestName(to: name, among: names)
      else { continue }
      throw ValidationError("Unknown option '\(ShownText.encoded(shown(name)))'. Did you mean '\(similar)'?")
    }
  }

  /// Returns the names of the options of `command`, which begin the lines of its help text.
  private static func names(of command: any ParsableCommand.Type) -> [String] {
    let help = Nightjar.helpMessage(for: command, includeHidden: true, columns: 1_000)
    return help.split(separator: "\n").flatMap { line -> [String] in
      let words = line.split { $0 == " " || $0 == "," || $0 == "/" }
      return words.prefix { $0.hasPrefix("-") }.filter { $0.hasPrefix("--") }.map(String.init)
    }
  }
}

import ArgumentParser
import Readers
import Text

/// Rejects an argument that is not the name of a command, and suggests a similar name. The parser alone would
/// only report unexpected arguments.
enum UnknownCommand {
  /// Returns the command that the first arguments name, or whose help they request. This is `root` if the
  /// first argument is an option.
  ///
  /// - Throws: `ValidationError` if an argument in the place of a command does not name a command. The error
  ///   contains the most similar name, if any.
  static func command(
    named arguments: [String], of root: any ParsableCommand.Type
  ) throws(ValidationError) -> any ParsableCommand.Type {
    var rest = arguments[...]
    var command = root
    var others = ["help"]
    if rest.first == "help" {
      rest.removeFirst()
      others = []
    }
    while let name = rest.popFirst(), !name.hasPrefix("-") {
      let configuration = command.configuration
      let commands = configuration.subcommands + configuration.groupedSubcommands.flatMap { $0.subcommands }
      guard !commands.isEmpty else { break }
      guard let next = commands.first(where: { $0.configuration.commandName == name }) else {
        let names = commands.compactMap { $0.configuration.commandName } + others
        throw ValidationError(
          "unknown command '\(ShownText.encoded(shown(name)))'\(suggestion(for: name, among: names))")
      }
      (command, others) = (next, [])
    }
    return command
  }
}

import ArgumentParser
import Readers
import Text

/// Rejects a first argument that is not the name of a command, and suggests a similar name. The parser alone
/// would only report unexpected arguments.
enum UnknownCommand {
  /// Checks that the first argument is an option or names a command of `configuration`.
  ///
  /// - Throws: `ValidationError` if the check fails. The message suggests the most similar name, if any.
  static func check(
    _ arguments: [String], of configuration: CommandConfiguration
  ) throws(ValidationError) {
    let commands = configuration.subcommands + configuration.groupedSubcommands.flatMap { $0.subcommands }
    let names = commands.compactMap { $0.configuration.commandName } + ["help"]
    guard let name = arguments.first, !name.hasPrefix("-"), !names.contains(name) else { return }
    throw ValidationError(
      "unknown command '\(ShownText.encoded(shown(name)))'\(suggestion(for: name, among: names))")
  }
}

import ArgumentParser
import CommandLine
import Files
internal import RunSchemas
internal import System

/// The program `nightjar`, with one subcommand for each task.
///
/// This module parses command lines, calls the other modules and prints their results. No module depends on
/// it, so it must not contain rules of ingest, models, rankings or stores.
@main
struct Nightjar: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nightjar",
    abstract:
      "Computes, explains and serves a ranked list of nearby people or things for each user, every night.",
    discussion: ExitStatus.table + "\n\n" + documents, version: Tool.version,
    subcommands: [
      RunCommand.self, RunsCommand.self, DiffCommand.self, CheckCommand.self, DoctorCommand.self,
      SchemaCommand.self,
      ShowCommand.self,
      NearCommand.self, ExplainCommand.self, GenerationsCommand.self, RollbackCommand.self,
      VerifyCommand.self, EraseCommand.self, ExportCommand.self, ReportCommand.self, GeohashCommand.self,
      SynthesizeCommand.self,
    ],
    groupedSubcommands: [
      CommandGroup(
        name: "Stage",
        subcommands: [
          IngestCommand.self, IndexCommand.self, FitCommand.self, RankCommand.self, EvaluateCommand.self,
          PublishCommand.self,
        ])
    ])

  /// The text about man pages and completions. Only an installation contains them, so the text names this
  /// condition.
  private static let documents = """
    MAN PAGES AND COMPLETIONS (the package and 'make install' install both):
      man nightjar-run
          the man page of a subcommand; 'man nightjar' lists all subcommands
      nightjar --generate-completion-script bash
          prints the completions for bash; zsh and fish are also possible
    """

  static func main() {
    do {
      let arguments = try ProcessArguments.all()
      let chosen = try UnknownCommand.command(named: arguments, of: self)
      var command = try parsed(NegativeNumbers.asValues(try AnyIDs.joined(arguments)), as: chosen)
      try command.run()
    } catch let error as FileError {
      Console.print("nightjar: \(error)")
      exit(withError: ExitCode(error.exitStatus.rawValue))
    } catch {
      exit(withError: error)
    }
  }

  /// Parses the command line of `command`. Reports a misspelled option before other mistakes, because the
  /// misspelled option may cause them.
  private static func parsed(
    _ arguments: [String], as command: any ParsableCommand.Type
  ) throws -> any ParsableCommand {
    do {
      return try parseAsRoot(arguments)
    } catch let error where exitCode(for: error) == .validationFailure {
      try UnknownOption.check(arguments, of: command)
      throw error
    }
  }
}

import ArgumentParser
import CommandLine
internal import RunSchemas
internal import System

@main
struct Nightjar: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nightjar",
    abstract:
      "Computes, explains and serves a ranked list of nearby people or things for each user, every night.",
    discussion: ExitStatus.table, version: Tool.version,
    subcommands: [
      RunCommand.self, CheckCommand.self, DoctorCommand.self, SchemaCommand.self, ShowCommand.self,
      NearCommand.self,
      ExplainCommand.self,
      GenerationsCommand.self, RollbackCommand.self, VerifyCommand.self, EraseCommand.self,
      ExportCommand.self, GeohashCommand.self,
      SynthesizeCommand.self,
    ])

  static func main() {
    do {
      main(NegativeNumbers.asValues(try AnyIDs.joined(ProcessArguments.afterName)))
    } catch {
      exit(withError: error)
    }
  }
}

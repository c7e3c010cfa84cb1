import ArgumentParser
import StageSupport
import Synthesis
import Tables

struct SynthesizeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "synthesize", abstract: "Writes invented exports: the same bytes for the same arguments.",
    discussion: """
      Likes come from hidden tastes for fields, roles, experience and distance, so that there is something to \
      learn; a known sprinkling of rows is broken. Prints what was planted, as JSON.
      """)

  enum Product: String, CaseIterable, ExpressibleByArgument { case fusion }

  @Option(help: "Whose exports: \(Product.allCases.map(\.rawValue).joined(separator: ", ")).")
  var like = Product.fusion

  @Option(help: "How many people.") var users = 2000
  @Option(help: "How many swipes.") var swipes = 60_000
  @Option(help: "Another seed gives other people.") var seed: UInt64 = 42
  @Option(name: .customLong("out"), help: "The directory to write into.") var directory: String
  @Flag(help: "Replace exports that are there.") var force = false

  func run() throws {
    try StageMain.guarded {
      let export: FusionExport
      do {
        export = try FusionExport(users: users, swipes: swipes, seed: seed)
      } catch {
        throw ValidationError("\(error)")
      }
      try SynthesizedFiles.refuse(
        [FusionExport.usersFile, FusionExport.swipesFile], in: directory, force: force)
      let summary = try export.write(into: directory)
      Console.result(SynthesizedFiles.json(summary))
      Console.tell(
        "\(summary.documents.grouped) documents and \(summary.swipes.grouped) swipes in '\(directory)', of which "
          + "\(summary.rejectedUsers + summary.rejectedSwipes) are broken on purpose")
    }
  }
}

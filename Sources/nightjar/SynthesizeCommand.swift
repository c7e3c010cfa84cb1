import ArgumentParser
import CommandLine

/// Starts `nightjar-synthesize`, a separate program because invented exports are not part of the product.
struct SynthesizeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "synthesize", abstract: "Writes invented exports. Starts nightjar-synthesize.")

  @Argument(
    parsing: .captureForPassthrough,
    help: "The arguments of nightjar-synthesize. Its --help lists them.")
  var arguments: [String] = []

  func run() throws {
    try StageMain.guarded { try SiblingProgram.become("nightjar-synthesize", arguments) }
  }
}

import ArgumentParser
import CommandLine

/// Another name of `nightjar-synthesize`, which is a program of its own: invented exports are no part of the product.
struct SynthesizeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "synthesize", abstract: "Writes invented exports: starts nightjar-synthesize.")

  @Argument(
    parsing: .captureForPassthrough,
    help: "The arguments of nightjar-synthesize; --help lists them.")
  var arguments: [String] = []

  func run() throws {
    try StageMain.guarded { try SiblingProgram.become("nightjar-synthesize", arguments) }
  }
}

import ArgumentParser

/// Runs single steps of the stages on inputs that other programs can also read, so that benchmarks can
/// compare the programs. The command is synchronous, because valgrind requires it.
@main
struct Kernels: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kernels", abstract: "Times single steps of Nightjar on given inputs.",
    subcommands: [LeastSquaresKernel.self, SearchKernel.self])
}

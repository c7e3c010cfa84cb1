import ArgumentParser

/// Single steps of the stages, on inputs that other programs can read too. Benchmarks compare both and count
/// instructions. Synchronous, because valgrind requires it.
@main
struct Kernels: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kernels", abstract: "Times single steps of Nightjar on given inputs.",
    subcommands: [LeastSquaresKernel.self, SearchKernel.self])
}

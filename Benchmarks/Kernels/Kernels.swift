import ArgumentParser

/// Single steps of the stages on inputs that other programs take too: for measurements beside those, and for counting
/// instructions. Synchronous, as valgrind wants it.
@main
struct Kernels: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kernels", abstract: "Times single steps of Nightjar on given inputs.",
    subcommands: [LeastSquaresKernel.self, SearchKernel.self])
}

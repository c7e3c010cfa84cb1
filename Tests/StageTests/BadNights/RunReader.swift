/// A program that reads a run.
struct RunReader: Sendable, CustomStringConvertible {
  let program: String
  /// The arguments of the program, which runs in the directory of the product.
  let arguments: [String]
  /// The stage directories that are removed first, because the program writes one of them.
  let removed: [String]
  /// Whether the result is standard output. Otherwise it is the first of the removed directories.
  let prints: Bool
  /// Whether the program reads an interrupted run.
  let resumes: Bool

  init(
    _ program: String, _ arguments: [String], removed: [String] = [], prints: Bool = false,
    resumes: Bool = false
  ) {
    (self.program, self.arguments, self.removed) = (program, arguments, removed)
    (self.prints, self.resumes) = (prints, resumes)
  }

  var description: String { program + " " + arguments.joined(separator: " ") }
}

import TestSupport
import Testing

/// Libraries that are loaded at first use can be missing.
@Suite struct MissingLibraryTests {
  /// Returns an environment in which the loader finds an empty file instead of `library`.
  private func environment(without library: String) throws -> (scratch: ScratchDirectory, setting: String) {
    let scratch = try ScratchDirectory()
    try scratch.write("", to: library)
    return (scratch, "LD_LIBRARY_PATH=" + scratch.path)
  }

  private func nightjar(_ setting: String, _ command: String, _ product: SmallProduct, _ more: [String] = [])
    throws
    -> Program.Finished
  {
    try Program.run(
      "/usr/bin/env",
      [setting, Program.products + "/nightjar", command, product.pipelineFile, "--work", product.work] + more)
  }

  @Test func `without libpq, only commands with a PostgreSQL store fail, and they fail at once`() throws {
    let (scratch, setting) = try environment(without: "libpq.so.5")
    let product = try SmallProduct()
    let store = ["--set", "publish.store=postgresql://127.0.0.1/none"]
    for command in ["run", "doctor"] {
      let ended = try nightjar(setting, command, product, store)
      #expect(ended.ending == .status(69))
      #expect((ended.output + ended.errors).contains("libpq5"), "\(ended.output)\(ended.errors)")
    }
    #expect(!product.directory.exists("var"))
    #expect(try nightjar(setting, "run", product).ending == .status(0))
    withExtendedLifetime(scratch) {}
  }

  @Test(arguments: ["libopenblas.so.0", "liblapacke.so.3"])
  func `without a linear algebra library, fit fails and the doctor reports it`(library: String) throws {
    let (scratch, setting) = try environment(without: library)
    let product = try SmallProduct()
    let foreseen = try nightjar(setting, "doctor", product)
    #expect(foreseen.ending == .status(69) && foreseen.output.contains("FAILS  BLAS"), "\(foreseen.output)")
    let ended = try nightjar(setting, "run", product)
    #expect(ended.ending == .status(69) && ended.errors.contains("libopenblas0-pthread"), "\(ended.errors)")
    #expect(ended.errors.contains("fit failed with status 69"))
    withExtendedLifetime(scratch) {}
  }
}

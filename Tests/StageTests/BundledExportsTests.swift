import Foundation
import Testing
import TestSupport

/// The bundled exports must equal the output of `make datasets` byte by byte, and must be small.
struct BundledExportsTests {
  /// The arguments of each `nightjar synthesize` command in the Makefile.
  private static let commands = Result {
    let makefile = try String(
      contentsOf: SharedData.repository.appending(path: "Makefile"), encoding: .utf8)
    return makefile.split(separator: "\n").filter { $0.hasPrefix("\t$(BIN)/nightjar synthesize ") }
      .map { $0.split(separator: " ").dropFirst().map(String.init) }
  }

  @Test func `every bundled product exists`() throws {
    let found = try Self.commands.get().compactMap { words in
      words.firstIndex(of: "--like").map { words[$0 + 1] }
    }
    let folders = try FileManager.default.contentsOfDirectory(
      atPath: SharedData.repository.appending(path: "datasets").path
    ).filter { !$0.contains(".") }
    #expect(found.sorted() == folders.sorted() && found.count >= 5)
  }

  @Test func `synthesize writes the same bytes`() throws {
    for command in try Self.commands.get() {
      let directory = try ScratchDirectory()
      var arguments = command
      let place = try #require(arguments.firstIndex(of: "--out")) + 1
      let bundled = SharedData.repository.appending(path: arguments[place]).path
      arguments[place] = directory.path
      let ended = try Program.run("nightjar", arguments)
      try #require(ended.ending == .status(0), "\(ended.errors)")
      let written = try DirectoryContents(of: directory.path)
      #expect(try written.differences(from: DirectoryContents(of: bundled)) == [], "\(bundled)")
      let sizes = try FileManager.default.contentsOfDirectory(atPath: bundled).map {
        try FileManager.default.attributesOfItem(atPath: bundled + "/" + $0)[.size] as? Int ?? 0
      }
      #expect(sizes.reduce(0, +) <= 4_000_000, "\(bundled)")
    }
  }
}

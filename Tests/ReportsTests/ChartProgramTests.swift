import TestSupport
import Testing
import Text

@testable import Reports

/// The output that the report accepts from the chart program. A shell script replaces Python.
@Suite struct ChartProgramTests {
  private func draw(_ script: String, _ charts: [JSONValue]) throws -> [String] {
    let scratch = try ScratchDirectory()
    // A separate process writes the script. If this process wrote it, a child of another test could inherit the open file,
    // and the system does not start a program that is open for writing.
    let written = try Program.run(
      "/bin/sh",
      [
        "-c", "printf '%s\\n' '#!/bin/sh' \"$1\" > \"$2\" && chmod 755 \"$2\"", "sh", script,
        scratch("python3"),
      ])
    try #require(written.ending == .status(0))
    return try ChartProgram(path: scratch("python3"), timeout: .seconds(30)).draw(charts)
  }

  @Test func `the drawings come back in order`() throws {
    #expect(
      try draw(#"echo '["<svg>1</svg>", "<svg>2</svg>"]'"#, [1, 2]) == ["<svg>1</svg>", "<svg>2</svg>"])
    #expect(try draw("echo '[]'", []) == [])
  }

  /// More than a pipe holds, in both directions.
  @Test func `long specifications and drawings arrive whole`() throws {
    let long = String(repeating: "x", count: 300_000)
    #expect(try draw("cat", [.string(long), .string("é")]) == [long, "é"])
  }

  @Test(arguments: [
    (#"echo '["<svg/>"]'"#, "1 drawings for 2"), (#"echo '["1", "2", "3"]'"#, "3 drawings for 2"),
    ("echo '[1, 2]'", "not"),
    ("true", "not"),
    ("echo broken >&2; exit 3", "broken"),
  ])
  func `anything else is a failure`(script: String, words: String) throws {
    let failure = try #require(throws: ChartFailure.self) { try draw(script, [1, 2]) }
    #expect("\(failure)".contains(words), "\(failure)")
  }
}

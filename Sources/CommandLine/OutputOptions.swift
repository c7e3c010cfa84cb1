internal import ArgumentParser
package import Text

/// The options `--json` and `--csv` of a command that prints a table.
package struct OutputOptions: ParsableArguments {
  @Flag(help: "Print JSON.") package var json = false
  @Flag(help: "Print comma-separated values with a header.") package var csv = false

  package init() {}

  package func validate() throws {
    if json, csv { throw ValidationError("--json and --csv cannot be used together. Remove one of them.") }
  }

  package var format: ResultFormat {
    json ? .json : csv ? .csv : .text(width: Console.resultWidth)
  }
}

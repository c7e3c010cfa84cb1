import ArgumentParser
import CommandLine
import DataContract
import Files
import PipelineFile
internal import System
import Text

struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Prints the required form of the exports as a Frictionless Data Package.",
    discussion: """
      Prints JSON with a Table Schema for each source. Paths are relative to the current directory, so save the output there: \
      nightjar schema PIPELINE > datapackage.json. Reads no export.
      """)

  @OptionGroup var pipeline: PipelineOptions

  @Option(
    help: "Print only the Table Schema of this entity, or of this kind of check-in, interaction or request.")
  var source: String?

  func run() throws {
    try StageMain.guarded {
      let pipeline = try pipeline.load()
      guard let source else { return print(try pipeline.dataPackage(shown: ShownPath.short)) }
      guard let schema = pipeline.tableSchema(of: source) else {
        let names = pipeline.sourceNames.joined(separator: ", ")
        throw StageFailure(.usage, "\(pipeline.file) has no source '\(source)'. Choose one of: \(names).")
      }
      print(schema)
    }
  }

  private func print(_ value: JSONValue) {
    // `result` adds the final newline.
    Console.result(String(decoding: value.pretty.dropLast(), as: UTF8.self))
  }
}

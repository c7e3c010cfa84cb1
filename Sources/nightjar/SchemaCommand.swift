import ArgumentParser
import CommandLine
import DataContract
import Files
import PipelineFile
internal import System
import Text

struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Prints what the exports must be like, as a Frictionless Data Package.",
    discussion: """
      JSON, with a Table Schema for every source. Paths are from where you stand, so that a file written here \
      (nightjar schema PIPELINE > datapackage.json) finds the exports. No export is read.
      """)

  @OptionGroup var pipeline: PipelineOptions

  @Option(help: "Only the Table Schema of this entity, kind of check-ins or kind of interaction.") var source:
    String?

  func run() throws {
    try StageMain.guarded {
      let pipeline = try pipeline.load()
      guard let source else { return print(try pipeline.dataPackage(shown: ShownPath.short)) }
      guard let schema = pipeline.tableSchema(of: source) else {
        let names = pipeline.sourceNames.joined(separator: ", ")
        throw StageFailure(.usage, "there is no source '\(source)' in \(pipeline.file). Sources: \(names).")
      }
      print(schema)
    }
  }

  private func print(_ value: JSONValue) {
    // `result` adds the final newline.
    Console.result(String(decoding: value.pretty.dropLast(), as: UTF8.self))
  }
}

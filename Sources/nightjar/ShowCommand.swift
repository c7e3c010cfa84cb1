import ArgumentParser
import CommandLine
import PipelineFile
import Publishing
internal import ServingStore

struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract:
      "Prints the lists of a person, or the entries of a catalog, from the serving store.",
    discussion: "Use --user for a person, or --catalog and --key for a catalog.")

  @OptionGroup var chosen: ChosenPipeline
  @OptionGroup var chosenStore: ChosenStore

  // Parsing is unconditional, because an id may look like an option.
  @Option(parsing: .unconditional, help: "The id of the person.") var user: String?
  @Option(help: "Print only this list (default: all lists).", completion: .lists) var list: String?
  @Option(help: "For rankings with 'per': print only the list for this word.") var word: String?
  @Option(help: "The catalog to print, for example dogs_by_county.", completion: .catalogs) var catalog:
    String?
  @Option(help: .hidden) var directory: String?
  @Option(parsing: .unconditional, help: "The catalog key, for example Cork or Cork/large.")
  var key: String?
  @Option(help: "The maximum number of entries per list.") var top: Int?
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if directory != nil { throw ValidationError("--directory has been renamed. Use --catalog.") }
    guard (user == nil) != (catalog == nil) else {
      throw ValidationError("Use either --user, or --catalog and --key.")
    }
    if (catalog == nil) != (key == nil) {
      throw ValidationError("--catalog and --key require each other. Use both.")
    }
    if catalog != nil && list != nil { throw ValidationError("--list requires --user.") }
    if catalog != nil && word != nil { throw ValidationError("--word requires --user.") }
    if let top, top < 1 { throw ValidationError("--top must be at least 1, not \(top).") }
  }

  func run() throws {
    try StageMain.guarded {
      let pipeline = try chosen.load()
      let store = try chosenStore.open(pipeline, for: .reading)
      let lines = try pipeline.servedLines(of: store) { generation in
        if let user {
          return try ServedLists(user: user, list: list, word: word)
            .lines(generation, of: pipeline, top: top, format: output.format)
        }
        return try ServedCatalog(name: catalog ?? "", key: key ?? "")
          .lines(generation, of: pipeline, top: top, format: output.format)
      }
      Console.result(lines, in: output.format)
    }
  }
}

import ArgumentParser
import CommandLine
import PipelineFile
import Publishing
internal import ServingStore

struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract:
      "Prints a person's lists, or the entries of a catalog, from the serving store, as an app reads them.",
    discussion: "Give --user for a person, or --catalog and --key for a catalog.")

  @OptionGroup var chosen: ChosenPipeline
  @OptionGroup var chosenStore: ChosenStore

  // An id may look like an option.
  @Option(parsing: .unconditional, help: "The person's id.") var user: String?
  @Option(help: "One list (default: all).") var list: String?
  @Option(help: "Of rankings with a list for each word, the list for this one.") var word: String?
  @Option(help: "A catalog, such as dogs_by_county.") var catalog: String?
  @Option(help: .hidden) var directory: String?
  @Option(parsing: .unconditional, help: "A key of the catalog, such as Cork, or Cork/large.")
  var key: String?
  @Option(help: "At most so many recommendations per list, or entries.") var top: Int?
  @Flag(help: "Print the served documents as they are: JSON, one per line.") var json = false

  func validate() throws {
    if directory != nil { throw ValidationError("--directory is called --catalog now.") }
    guard (user == nil) != (catalog == nil) else {
      throw ValidationError("Give either --user, or --catalog and --key.")
    }
    if (catalog == nil) != (key == nil) { throw ValidationError("--catalog and --key go together.") }
    if catalog != nil && list != nil { throw ValidationError("--list is for --user.") }
    if let top, top < 1 { throw ValidationError("--top must be at least 1, not \(top).") }
  }

  func run() throws {
    try StageMain.guarded {
      let pipeline = try chosen.load()
      let store = try chosenStore.open(pipeline, for: .reading)
      let lines = try pipeline.servedLines(of: store) { generation in
        if let user {
          return try ServedLists(user: user, list: list, word: word)
            .lines(generation, of: pipeline, top: top, json: json)
        }
        return try ServedCatalog(name: catalog ?? "", key: key ?? "")
          .lines(generation, of: pipeline, top: top, json: json)
      }
      for line in lines { Console.result(line) }
    }
  }
}

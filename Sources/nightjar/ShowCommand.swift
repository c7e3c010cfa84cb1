import ArgumentParser
import CommandLine
import PipelineFile
import ServingStore
internal import System
import Text

struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract:
      "Prints a person's lists, or the entries of a directory, from the serving store, as an app reads them.",
    discussion: "Give --user for a person, or --directory and --key for a directory.")

  @OptionGroup var chosen: ChosenPipeline
  @OptionGroup var chosenStore: ChosenStore

  // An id may look like an option.
  @Option(parsing: .unconditional, help: "The person's id.") var user: String?
  @Option(help: "One list (default: all).") var list: String?
  @Option(help: "Of rankings with a list for each word, the list for this one.") var word: String?
  @Option(help: "A directory, such as that of counties.") var directory: String?
  @Option(parsing: .unconditional, help: "A key of the directory, such as Cork, or Cork/large.")
  var key: String?
  @Option(help: "At most so many recommendations per list, or entries.") var top: Int?
  @Flag(help: "Print the served documents as they are: JSON, one per line.") var json = false

  func validate() throws {
    guard (user == nil) != (directory == nil) else {
      throw ValidationError("Give either --user, or --directory and --key.")
    }
    if (directory == nil) != (key == nil) { throw ValidationError("--directory and --key go together.") }
    if directory != nil && list != nil { throw ValidationError("--list is for --user.") }
    if let top, top < 1 { throw ValidationError("--top must be at least 1, not \(top).") }
  }

  func run() throws {
    try StageMain.guarded {
      let pipeline = try chosen.load()
      let store = try chosenStore.open(pipeline, for: .reading)
      let text = try store.read(pipeline: pipeline.name) { generation in
        if let user { return try served(generation, pipeline, user) }
        return try ServedDirectory(name: directory ?? "", key: key ?? "")
          .lines(generation, of: pipeline, top: top, json: json)
      }
      guard let text else { throw StageFailure.nothingServed(pipeline, store) }
      for line in text { Console.result(line) }
    }
  }

  /// The lines to print, all from one generation.
  private func served(
    _ generation: any ServedGeneration, _ pipeline: Pipeline, _ user: String
  ) throws -> [String] {
    let names = generation.listNames
    if let list, !names.contains(list) {
      throw StageFailure(
        .usage,
        "there is no list '\(list)' in generation \(generation.summary.number). Lists: "
          + names.joined(separator: ", ") + ".")
    }
    var lines: [String] = []
    for name in list.map({ [$0] }) ?? names {
      guard let document = try generation.document(list: name, user: StoredID(user)) else { continue }
      if json {
        lines.append(String(decoding: document, as: UTF8.self))
      } else {
        let shown = pipeline.rankings.first { $0.name == name }?.shown.map(\.name) ?? []
        guard let served = try ServedDocument(document).lines(top: top, word: word, showing: shown) else {
          continue
        }
        if names.count > 1 { lines.append("\(name):") }
        lines += served
      }
    }
    guard !lines.isEmpty else {
      throw StageFailure(
        .missingInput,
        "generation \(generation.summary.number) of '\(pipeline.name)' has no list for this id"
          + (word == nil ? "" : ", or none for this word") + "." + whyNone(pipeline))
    }
    return json
      ? lines : try [title(generation, pipeline, user)] + lines + matches(generation, pipeline, user)
  }

  /// What may be the reason that somebody has no list, as far as the pipeline file tells.
  private func whyNone(_ pipeline: Pipeline) -> String {
    let rankings = pipeline.rankings.filter { list == nil || $0.name == list }
    let some = rankings.filter { !$0.audience.isEmpty }.map { "'\($0.name)'" }
    let others =
      some.isEmpty ? "" : " Only some have \(some.joined(separator: ", ")): see 'for' in the pipeline file."
    return others + " Ids are compared byte for byte."
  }

  /// The id and the published attributes: `u0042, Technology, entrepreneur`.
  private func title(
    _ generation: any ServedGeneration, _ pipeline: Pipeline, _ user: String
  ) throws -> String {
    var parts = [user]
    let attributes = pipeline.publication?.attributes.sorted { $0.key < $1.key } ?? []
    for (entity, names) in attributes {
      guard let json = try generation.person(entity: entity, id: StoredID(user)) else { continue }
      parts += try ServedAttributes.values(json, names)
    }
    return ShownText.encoded(parts.joined(separator: ", "))
  }

  private func matches(
    _ generation: any ServedGeneration, _ pipeline: Pipeline, _ user: String
  ) throws -> [String] {
    try pipeline.matches.compactMap { list in
      let count = try generation.matches(name: list.name, user: StoredID(user)).count
      return count == 0 ? nil : "  \(list.name): \(count.grouped)"
    }
  }
}

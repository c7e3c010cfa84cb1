import ArgumentParser
import CommandLine
import PipelineFile
import ServingStore
import Text

struct GenerationsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generations", abstract: "Lists the generations that a serving store holds, newest first.",
    discussion: "The one with the asterisk is served. 'nightjar rollback' serves an older one.")

  @OptionGroup var chosen: ChosenPipeline
  @OptionGroup var chosenStore: ChosenStore
  @Flag(help: "Print JSON.") var json = false

  func run() throws {
    try StageMain.guarded {
      let pipeline = try chosen.load()
      let store = try chosenStore.open(pipeline, for: .reading)
      let generations = try store.generations(pipeline: pipeline.name)
      if json {
        let text = JSONValue.array(generations.map(\.json)).pretty
        Console.result(String(decoding: text, as: UTF8.self))
        return
      }
      guard !generations.isEmpty else { throw StageFailure.nothingServed(pipeline, store) }
      for generation in generations { Console.result(generation.line) }
    }
  }
}

extension GenerationSummary {
  /// `* 12  run 12  as of 2026-11-20T23:58:12Z  partners 2 000, matches 311`.
  var line: String {
    let rows = (tables.lists + tables.directories + tables.matches + tables.people).map {
      "\(ShownText.encoded($0.name)) \($0.rows.grouped)"
    }
    let overridden =
      note.overridden.isEmpty ? "" : "  (overridden: \(note.overridden.joined(separator: ", ")))"
    return
      "\(isServed ? "*" : " ") \(String(number).leftPadded(to: 4))  run \(String(run).leftPadded(to: 4))  as of "
      + "\(Instant(milliseconds: asOf))  \(rows.joined(separator: ", "))\(overridden)"
  }

  var json: JSONValue {
    func counts(_ counts: [NamedCount]) -> JSONValue {
      .object(Dictionary(uniqueKeysWithValues: counts.map { ($0.name, .integer($0.rows)) }))
    }
    return [
      "generation": .integer(number), "run": .integer(run),
      "as_of": .string(Instant(milliseconds: asOf).description), "served": .boolean(isServed),
      "lists": counts(tables.lists), "matches": counts(tables.matches), "people": counts(tables.people),
      "positions": counts(tables.positions), "buckets": counts(tables.buckets),
      "directories": counts(tables.directories),
      "overridden": .array(note.overridden.map { .string($0) }),
    ]
  }
}

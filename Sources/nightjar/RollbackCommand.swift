import ArgumentParser
import PipelineFile
import ServingStore
import StageSupport

struct RollbackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rollback", abstract: "Serves an older generation again, in every store of the pipeline.",
    discussion: """
      Nothing is loaded or dropped: the pointer moves, in a moment, and readers see the older lists whole. The next \
      publish goes on from the newest number.
      """)

  @OptionGroup var chosen: ChosenPipeline
  @OptionGroup var chosenStore: ChosenStore
  @Option(help: "The generation to serve (default: the newest one older than what is served).") var to: Int?

  func run() throws {
    try StageMain.guarded {
      let pipeline = try chosen.load()
      for address in try addresses(pipeline) {
        let store = try address.open(for: .publishing)
        let target = try target(in: store, pipeline)
        try store.serve(generation: target.number, of: pipeline.name)
        guard let served = try store.currentGeneration(pipeline: pipeline.name) else {
          throw StageFailure.nothingServed(pipeline, store)
        }
        Console.result("\(address.shown)")
        Console.result(served.line)
      }
    }
  }

  /// The one that was named, or all of the pipeline file.
  private func addresses(_ pipeline: Pipeline) throws -> [StoreAddress] {
    guard chosenStore.store == nil, let stores = pipeline.publication?.stores else {
      return [try chosenStore.address(pipeline)]
    }
    return try stores.map { try StoreAddress(parsing: $0, relativeTo: pipeline.directory) }
  }

  private func target(in store: any ServingStore, _ pipeline: Pipeline) throws -> GenerationSummary {
    let generations = try store.generations(pipeline: pipeline.name)
    guard let served = generations.first(where: \.isServed) else {
      throw StageFailure.nothingServed(pipeline, store)
    }
    let held = generations.map { String($0.number) }.joined(separator: ", ")
    let found =
      if let to { generations.first { $0.number == to } } else {
        generations.first { $0.number < served.number }
      }
    guard let found else {
      throw StageFailure(
        .missingInput,
        to.map { "\(store.address): it holds no generation \($0). Held: \(held)." }
          ?? "\(store.address): nothing older than generation \(served.number) is held. Held: "
          + "\(held). How far one can go back is publish.keep."
      )
    }
    return found
  }
}

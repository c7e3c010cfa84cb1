import ArgumentParser
import CommandLine
import ErasedRuns
import Erasure
import PipelineFile
import Publishing
internal import RunSchemas
import ServingStore
internal import System
internal import Text

struct RollbackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rollback", abstract: "Serves an older generation again, in every store of the pipeline.",
    discussion: """
      Nothing is loaded or dropped: the pointer moves, in a moment, and readers see the older lists whole. The next \
      publish goes on from the newest number. Whoever was erased meanwhile is removed from an older generation first.
      """)

  @OptionGroup var chosen: ChosenPipeline
  @OptionGroup var chosenStore: ChosenStore
  @Option(help: "The generation to serve (default: the newest one older than what is served).") var to: Int?

  func run() throws {
    try StageMain.guarded {
      let pipeline = try chosen.load()
      let tombstones = try pipeline.tombstones(
        beside: RunDirectories(work: chosen.work, pipeline: pipeline.name)
      ).load()
      for address in try pipeline.storeAddresses(chosenStore.store) {
        let store = try address.open(for: .publishing)
        let target = try target(in: store, pipeline)
        try erase(tombstones, from: target, in: store, pipeline)
        try store.serve(generation: target.number, of: pipeline.name)
        guard let served = try store.currentGeneration(pipeline: pipeline.name) else {
          throw StageFailure.nothingServed(pipeline, store)
        }
        Console.result("\(address.shown)")
        Console.result(served.line)
      }
    }
  }

  /// Removes whoever has a tombstone and is in `target` all the same: a store that was out of reach when they were erased,
  /// or that was restored from a dump, holds them still.
  private func erase(
    _ tombstones: Tombstones, from target: GenerationSummary, in store: any ServingStore, _ pipeline: Pipeline
  ) throws {
    guard !tombstones.isEmpty, target.note.tombstones != tombstones.digest else { return }
    let search = TombstoneSearch(pipeline: pipeline, tombstones: tombstones)
    let found = try search.found(in: target.number, of: store)
    guard !found.isEmpty else { return }
    Console.tell(
      "\(store.address.shown): generation \(target.number) held \(found.count.counted("person", "people")) who "
        + "had been erased: removing first")
    let erasure = try store.erase(search.people(found), of: pipeline.name, ErasureOptions())
    for remark in erasure.remarks { Console.tell("nightjar: \(store.address.shown): \(remark)") }
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

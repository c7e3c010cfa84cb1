package import PipelineFile
package import ServingStore
internal import System
internal import Text
package import Tombstones

/// Makes a pipeline's store serve an older generation, or a generation that the user chooses.
package struct Rollback {
  private let pipeline: Pipeline
  private let tombstones: TombstoneSet
  private let number: Int?

  /// - Parameters:
  ///   - pipeline: The effective pipeline file.
  ///   - tombstones: The tombstones of the people erased from the pipeline.
  ///   - number: The generation to serve; `nil` for the newest generation before the served one.
  package init(_ pipeline: Pipeline, tombstones: TombstoneSet, to number: Int?) {
    (self.pipeline, self.tombstones, self.number) = (pipeline, tombstones, number)
  }

  /// Serves the generation. If the generation contains people with a tombstone, or items that they owned when
  /// they were erased, first removes these people and items from all generations of the store.
  ///
  /// A generation may contain erased people if the store was unreachable during their erasure, or was
  /// restored from a dump.
  ///
  /// - Parameters:
  ///   - store: A store that is open for publishing.
  ///   - warn: Receives messages about the removed people, and about the steps that remain for the user.
  ///     Called before the generation is served.
  /// - Returns: The generation that is served now.
  /// - Throws: `StageFailure` if the store does not contain the generation, or serves none;
  ///   `ServingStoreError`.
  package func run(in store: any ServingStore, warn: (String) -> Void) throws -> GenerationSummary {
    let target = try target(in: store)
    try erase(from: target, in: store, warn)
    try store.serve(generation: target.number, of: pipeline.name)
    guard let served = try store.currentGeneration(pipeline: pipeline.name) else {
      throw StageFailure.nothingServed(pipeline, store)
    }
    return served
  }

  private func erase(
    from target: GenerationSummary, in store: any ServingStore, _ warn: (String) -> Void
  ) throws {
    guard !tombstones.isEmpty, target.note.tombstones != tombstones.digest else { return }
    let search = TombstoneSearch(pipeline: pipeline, tombstones: tombstones)
    guard try !search.found(in: target.number, of: store).isEmpty else { return }
    // The erasure writes the digest of the tombstones into the notes of all generations. All generations are
    // therefore searched.
    let found = try search.found(in: store, unlessCheckedAgainst: tombstones)
    warn(
      "\(store.address.shown): removing \(search.counted(found)) from the store "
        + "before serving generation \(target.number)")
    let erasure = try store.erase(
      search.people(found), of: pipeline.name, ErasureOptions(tombstones: tombstones.digest))
    for remark in erasure.remarks { warn("\(store.address.shown): \(remark)") }
  }

  private func target(in store: any ServingStore) throws -> GenerationSummary {
    let generations = try store.generations(pipeline: pipeline.name)
    guard let served = generations.first(where: \.isServed) else {
      throw StageFailure.nothingServed(pipeline, store)
    }
    let held = generations.map { String($0.number) }.joined(separator: ", ")
    let found =
      if let number { generations.first { $0.number == number } } else {
        generations.first { $0.number < served.number }
      }
    guard let found else {
      let missing = number.map { "generation \($0)" } ?? "generation older than \(served.number)"
      let advice =
        number == nil
        ? "To keep more generations in the future, raise 'publish.keep'." : "Choose one of them with --to."
      throw StageFailure(
        .missingInput,
        "\(store.address): the store has no \(missing). Its generations: \(held). \(advice)")
    }
    return found
  }
}

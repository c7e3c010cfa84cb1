import ArgumentParser
import CommandLine
import PipelineFile
import ServingStore
internal import System

/// Which of a pipeline's serving stores a person means: by default the first that its file names.
struct ChosenStore: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The serving store (default: the first of the pipeline file): its address, or the beginning of one of the file's.",
      valueName: "address"))
  var store: String?

  func address(_ pipeline: Pipeline) throws -> StoreAddress {
    guard let publication = pipeline.publication else {
      guard let store else {
        throw StageFailure(.badPipelineFile, "\(pipeline.file): it has no 'publish', so nothing is served.")
      }
      return try StoreAddress(parsing: store, relativeTo: ".")
    }
    guard let store else {
      return try StoreAddress(parsing: publication.stores[0], relativeTo: pipeline.directory)
    }
    // One of the file's keeps its base directory.
    if let known = publication.stores.first(where: { $0.hasPrefix(store) }) {
      return try StoreAddress(parsing: known, relativeTo: pipeline.directory)
    }
    return try StoreAddress(parsing: store, relativeTo: ".")
  }

  func open(_ pipeline: Pipeline, for access: StoreAccess) throws -> any ServingStore {
    try address(pipeline).open(for: access)
  }
}

extension StageFailure {
  /// A store without a generation of the pipeline.
  static func nothingServed(_ pipeline: Pipeline, _ store: any ServingStore) -> StageFailure {
    StageFailure(
      .missingInput, "\(store.address): it serves nothing for '\(pipeline.name)'. Run 'nightjar run' first.")
  }
}

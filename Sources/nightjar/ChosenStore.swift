import ArgumentParser
import PipelineFile
import Publishing
import ServingStore

/// Which of a pipeline's serving stores a person means: by default the first that its file names.
struct ChosenStore: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The serving store (default: the first of the pipeline file): its address, or the beginning of one of the file's.",
      valueName: "address"))
  var store: String?

  func open(_ pipeline: Pipeline, for access: StoreAccess) throws -> any ServingStore {
    try pipeline.storeAddress(store).open(for: access)
  }
}

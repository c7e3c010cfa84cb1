import ArgumentParser
import PipelineFile
import Publishing
import ServingStore

/// The serving store of a command. The default is the first one in the pipeline file.
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

import ArgumentParser
import PipelineFile
import Publishing
import ServingStore

/// The serving store of a command. The default is the first store in the pipeline file.
struct ChosenStore: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The serving store: an address, or the beginning of an address in the pipeline file (default: the first store).",
      valueName: "address"))
  var store: String?

  func open(_ pipeline: Pipeline, for access: StoreAccess) throws -> any ServingStore {
    try pipeline.storeAddress(store).open(for: access)
  }
}

internal import PipelineFile
internal import Tables

/// Builds the features of a space from the entries of a pipeline file.
struct FeatureBinding {
  let interaction: Pipeline.Interaction
  let users: EntityTable
  let candidates: EntityTable
  let snapshot: Snapshot
  private(set) var features: [FeatureSpace.Feature] = []
  private(set) var columns: [String] = []

  init(
    interaction: Pipeline.Interaction, users: EntityTable, candidates: EntityTable, snapshot: Snapshot
  ) {
    self.interaction = interaction
    self.users = users
    self.candidates = candidates
    self.snapshot = snapshot
  }

  /// Adds the entry `number` of the pipeline file's `features`.
  mutating func add(_ entry: Pipeline.Feature, number: Int) {
    func add(_ name: String, _ values: FeatureValues, _ names: [String]) {
      features.append(
        FeatureSpace.Feature(
          values: values, firstColumn: columns.count, width: names.count, name: name, entry: number))
      columns += names
    }
    switch entry {
    case .category(let name):
      guard let column = candidates.categories[name] else { preconditionFailure("no category '\(name)'") }
      let vocabulary = column.vocabulary.strings
      add(name, .category(column.codes.elements, vocabulary), vocabulary.map { "\(name)=\($0)" })
    case .number(let name):
      guard let column = candidates.numbers[name] else { preconditionFailure("no number '\(name)'") }
      add(name, .number(column.elements, low: "low", high: "high"), [name])
    case .position:
      guard let latitude = candidates.latitude, let longitude = candidates.longitude else {
        preconditionFailure("no position")
      }
      add("latitude", .number(latitude.elements, low: "south", high: "north"), ["latitude"])
      add("longitude", .number(longitude.elements, low: "west", high: "east"), ["longitude"])
    case .distance:
      add("distance_km", .distance, ["distance_km"])
    }
  }
}

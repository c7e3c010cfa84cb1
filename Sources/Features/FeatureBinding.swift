internal import Columns
internal import Files
internal import PipelineFile
internal import RunSchemas

/// Builds the features of a space from the entries of a pipeline file. Each kind of feature has a method
/// `bind` in its own file.
struct FeatureBinding {
  let users: EntityTable
  let candidates: EntityTable
  let positions: (users: Positions, candidates: Positions)
  /// Whether users and candidates are the same entity. If so, an attribute has the same codes for both.
  let isOneKind: Bool
  /// The kind of interaction that the model learns from.
  let interaction: Pipeline.Interaction
  let pipeline: Pipeline
  /// The interactions in which the candidates act as users, one table per kind of interaction.
  let done: [InteractionTable]
  let snapshot: Snapshot
  let threads: Int
  /// The learning rows; `nil` to use the interactions of the snapshot.
  private let givenLearning: InteractionTable?
  /// The form of the fitted model; `nil` during a fit.
  let form: LearnedForm?
  /// The form of the features that are already bound.
  private(set) var found = LearnedForm()
  private(set) var features: [BoundFeature] = []
  private(set) var columns: [String] = []
  /// The maximum number of words with their own columns, for each category and geohash feature. If the value
  /// is `nil`, only the limit in the feature's entry applies.
  let mostWords: Int?
  /// The indices of the features whose words can share a column.
  private(set) var canShare: Set<Int> = []

  init(
    interaction: Pipeline.Interaction, users: EntityTable, candidates: EntityTable,
    positions: (users: Positions, candidates: Positions), _ pipeline: Pipeline, _ snapshot: Snapshot,
    learning: InteractionTable?, form: LearnedForm?, mostWords: Int?, threads: Int
  ) {
    self.mostWords = mostWords
    givenLearning = learning
    self.form = form
    self.interaction = interaction
    self.pipeline = pipeline
    self.users = users
    self.candidates = candidates
    self.positions = positions
    isOneKind = interaction.user.entity == interaction.candidate.entity
    done = pipeline.interactions(by: interaction.candidate.entity).map { kind in
      guard let table = snapshot.interactions[kind.name] else {
        preconditionFailure("the snapshot does not contain the interactions '\(kind.name)'")
      }
      return table
    }
    self.snapshot = snapshot
    self.threads = threads
  }

  /// Binds `entry`, whose index in the pipeline file's `features` is `number`, and adds its features.
  mutating func add(_ entry: Pipeline.Feature, number: Int) {
    for (name, bound) in zip(entry.names, entry.kind.bound(by: self)) {
      if bound.canShare { canShare.insert(features.count) }
      features.append(
        BoundFeature(
          shape: bound.shape, firstColumn: columns.count, width: bound.columns?.count ?? 1, name: name,
          entry: number, isPublic: bound.isPublic))
      columns += bound.columns?.map { name + $0 } ?? [name]
      found.features[bound.formName ?? name] = bound.form
    }
  }

  var learning: InteractionTable { givenLearning ?? interactions(interaction.name) }

  func interactions(_ kind: String) -> InteractionTable {
    guard let table = snapshot.interactions[kind] else {
      preconditionFailure("the snapshot does not contain the interactions '\(kind)'")
    }
    return table
  }
}

/// The result of binding one feature, before the feature is added to a space.
struct BoundValues {
  var shape: any FeatureShape
  /// The suffixes that follow the feature's name in the column names; `nil` for a single column with the
  /// feature's name.
  var columns: [String]?
  /// Whether the feature may be a published reason; see `BoundFeature`.
  var isPublic = true
  var form = LearnedForm.Feature()
  /// The key of `form` in the learned form; `nil` if the key is the feature's name.
  var formName: String?
  /// Whether words can share a column.
  var canShare = false

  init(_ shape: any FeatureShape, columns: [String]? = nil, isPublic: Bool = true) {
    self.shape = shape
    self.columns = columns
    self.isPublic = isPublic
  }

  /// Creates a feature with one code per candidate. A code is an index into `words`.
  init(codes: [UInt32], _ words: [String], isPublic: Bool = true) {
    self.init(CodeShape(codes, words), columns: words.map { "=" + $0 }, isPublic: isPublic)
  }
}

extension FeatureBinding: FeatureBinder {
  typealias Bound = BoundValues
}

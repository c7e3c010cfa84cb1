package import Readers
package import RunSchemas
package import Text

/// One product, as its pipeline file describes it: checked, with defaults filled in.
///
/// The module reads, checks and describes pipeline files. It depends on no stage, because every stage depends on it. It opens no
/// export: `Checking` and `Ingest` compare a pipeline file with the data.
package struct Pipeline: Hashable, Sendable {
  package var name: String
  /// Decides ties between equal candidates, and later whatever is drawn.
  package var seed: UInt64 = 0
  package var privacy = Privacy()
  /// The share of a source's rows that may be rejected, 0 to 1.
  package var rejectLimit = 0.01
  /// How many complete runs stay.
  package var keepRuns = 7
  /// In order of names, as are the other lists.
  package var entities: [Entity] = []
  package var interactions: [Interaction] = []
  package var requests: [Requests] = []
  /// The one without a name; see `models`.
  package var model: Model?
  package var namedModels: [Model] = []
  package var rankings: [Ranking] = []
  package var catalogs: [Catalog] = []
  package var matches: [MatchList] = []
  package var evaluation: Evaluation?
  package var publication: Publication?

  /// The file's values as they were in force, for manifests.
  package var configuration: JSONValue = .null
  /// The directory of the file: relative paths in it start here.
  package var directory = "."
  /// The file as it was named.
  package var file = ""

  /// Resolves a `path` of the file, relative to the process's working directory.
  package func resolve(_ path: String) -> String {
    path.hasPrefix("/") || directory == "." ? path : directory + "/" + path
  }

  package func entity(_ name: String) -> Entity? {
    entities.first { $0.name == name }
  }

  package func interaction(_ name: String) -> Interaction? {
    interactions.first { $0.name == name }
  }

  /// In order of names. An entity has one kind at most.
  package var checkIns: [CheckIns] {
    entities.compactMap(\.checkIns).sorted { $0.name < $1.name }
  }

  /// The names of all sources: entities, check-ins, interactions, requests, each in order.
  package var sourceNames: [String] { sources.map(\.name) }

  /// The kinds of interaction that entities of the kind `entity` do.
  package func interactions(by entity: String) -> [Interaction] {
    interactions.filter { $0.user.entity == entity }
  }
}

extension Pipeline {
  package struct Privacy: Hashable, Sendable {
    /// Every position is replaced by the centre of its cell of this precision.
    package var snapPrecision = 6
    /// The people's choice of a coarser precision; `nil` if they have none.
    package var choice: PrecisionChoice?
    /// Whether the file left the choice to Nightjar.
    package var isDefault = true
    /// The directory of the tombstones as the file names it; `nil` is the one among the pipeline's runs.
    package var erasures: String?
  }

  package struct Source: Hashable, Sendable {
    /// Files, folders and patterns as the pipeline file names them; `-` is standard input. Empty only for a
    /// DuckDB query that names its own files.
    package var paths: [String]
    package var format: ExportFormat
    package var options = ExportOptions()
    /// Rows that do not meet them all are left out; none where all rows are taken.
    package var conditions: [RowCondition] = []

    /// What messages call the source.
    package var label: String { paths.isEmpty ? "a query" : paths.joined(separator: ", ") }
  }

  /// What a source must be like, or the night ends (status 65).
  package struct Expectations: Hashable, Sendable {
    /// The least and the most rows read.
    package var atLeast: Int?
    package var atMost: Int?
    /// The allowed decrease and increase of the rows read, against the last complete run, as shares.
    package var dropAtMost: Double?
    package var growAtMost: Double?
    /// How old the newest row may be at the as-of time, in milliseconds.
    package var newestAtMost: Int64?
    /// Attributes (of interactions: `user`, `candidate`, `at`, `value`) that must be unique together. Missing values are never
    /// equal.
    package var unique: [[String]] = []
    /// By number attribute (`latitude`, `longitude` of positions, `value` of interactions): where all values lie.
    package var ranges: [String: ClosedRange<Double>] = [:]
    /// By attribute, or `position`: the share of rows that may lack it.
    package var missingAtMost: [String: Double] = [:]

    package init() {}
  }

  /// A field that holds a time.
  package struct TimeField: Hashable, Sendable {
    package var from: String
    /// What a plain integer counts.
    package var unit: IntegerTimes = .milliseconds
  }

  package struct Entity: Hashable, Sendable {
    package var name: String
    package var source: Source
    package var id: String
    package var created: TimeField?
    package var updated: TimeField?
    /// The entity's owner.
    package var owner: Reference?
    /// The position fields of its own rows; `nil` if these have none.
    package var position: PositionFields?
    /// Its check-ins: the newest valid one gives its position.
    package var checkIns: CheckIns?
    /// The attributes of its own rows and of its check-ins, in order of names.
    package var attributes: [Attribute] = []
    /// Numbers that are worked out from interactions, in order of names: not among `attributes`.
    package var computed: [ComputedAttribute] = []
    package var expectations = Expectations()

    package func attribute(_ name: String) -> Attribute? {
      attributes.first { $0.name == name }
    }

    /// The attributes of its own rows.
    package var ownAttributes: [Attribute] { attributes.filter { !$0.isOfCheckIn } }

    /// Whether it may have a position, from either source.
    package var hasPosition: Bool { position != nil || checkIns != nil }

    package var schema: EntitySchema {
      EntitySchema(
        name: name, hasPosition: hasPosition, hasCreated: created != nil, hasUpdated: updated != nil,
        hasOwner: owner != nil,
        attributes: Dictionary(uniqueKeysWithValues: attributes.map { ($0.name, $0.type) }),
        computed: computed.map(\.name))
    }
  }

  package struct PositionFields: Hashable, Sendable {
    package var latitude: String
    package var longitude: String
  }

  package struct Attribute: Hashable, Sendable {
    package var name: String
    package var type: AttributeType
    package var from: String
    /// Whether an export without this column is in order.
    package var isOptional = false
    /// Whether a row without a value is a reject.
    package var isRequired = false
    /// Whether its value comes from check-ins, and not from the entity's own rows.
    package var isOfCheckIn = false
    /// What parts tags, or intervals, that come as one text.
    package var separator = ";"
    /// The members of an interval that is an object: its begin and its end.
    package var ends = IntervalEnds()
    /// The only values that a category may have; `nil` is any.
    package var names: CanonicalNames?
    /// What a date may not be before: `created`, or another date.
    package var notBefore: String?
    /// Whether a date may not be after the as-of time.
    package var isNotInFuture = false
  }

  /// A field that refers to an entity.
  package struct Reference: Hashable, Sendable {
    package var from: String
    package var entity: String
    /// Whether the reference may be empty: only for owners.
    package var isOptional = false
    /// The entity whose ids are in the field, if the reference means the owner of that entity: only for candidates of
    /// interactions.
    package var of: String?
    /// With `of`: whether a user's first interaction with each of these is the only one.
    package var isOnce = false

    /// The entity whose ids are in the field.
    package var named: String { of ?? entity }
  }

  package struct Interaction: Hashable, Sendable {
    package var name: String
    package var source: Source
    package var user: Reference
    package var candidate: Reference
    package var at: TimeField
    package var value: ValueField
    package var expectations = Expectations()

    package var schema: InteractionSchema { InteractionSchema(name: name, likedFrom: value.likedFrom) }
  }

  package struct Model: Hashable, Sendable {
    package var learnsFrom: String
    package var features: [Feature]
    package var method = Method.createml
    /// Whether cross-validation inside the learning rows chooses entries of `features` and how far people may differ.
    package var isChosenWithinLearning = false
    /// `nil` for `model`, the one without a name.
    package var name: String?
    /// Pairs without an interaction that are learned from as well.
    package var negatives: Negatives?
  }

  /// How models are learned.
  package enum Method: Hashable, Sendable {
    /// As the first app did: a weak penalty, per user.
    case createml
    /// One ridge regression per user, with the same penalty for all.
    case ridge(Penalty)
    /// One ridge regression for all users.
    case everybody(Penalty)
    /// A model per user that leans on what the population likes, or on what the user's group does: those with the
    /// same value of a category attribute.
    case population(by: String?)
  }

  /// The penalty of a ridge regression, on the sum of squared coefficients of columns with unit standard deviation.
  package enum Penalty: Hashable, Sendable {
    /// Chosen from a grid by what it predicts of values that were left out.
    case automatic
    /// Above 0.
    case fixed(Double)
  }

  package struct Ranking: Hashable, Sendable {
    package var name: String
    package var users: String
    /// The conditions that users must all meet to have a list; empty if every user has one.
    package var audience: [Condition] = []
    package var candidates: String
    /// `nil`: everywhere, and a position is not needed.
    package var radiusInKilometers: Double?
    /// A number of the users that is the radius of those who have it.
    package var radiusAttribute: String?
    /// A number of the candidates: how far, in kilometres, each reaches; who has none reaches everywhere.
    package var candidateRadiusAttribute: String?
    /// A category or tags of the candidates: a list for each of the words; `nil` is one list.
    package var per: String?
    /// Tags of the users: a list for each of these alone, with `per`.
    package var asked: String?
    package var exclusions: [Exclusion]
    package var order: Order
    /// A score must be above it, which every score is above -infinity; a list without scores has no minimum.
    package var minimumScore: Double
    package var top: Int
    /// What each recommendation carries of its candidate.
    package var shown: [ShownField] = []
    package var distanceRounding = DistanceRounding.nearest
    /// The name of the model whose scores order it, where models have names.
    package var model: String?
    /// The kind of answer that candidates wait for; only waiting candidates are listed. `nil` if all are candidates.
    package var pending: Pending?
    /// The owners whose belongings are candidates, by the user's interactions; `nil` if all are candidates.
    package var among: Choice?
    /// The kinds that `interacted` means; `nil` is all.
    package var interactedKinds: [String]?
  }

  /// What a candidate waits for an answer to.
  package enum Pending: Hashable, Sendable {
    /// To a request of this kind.
    case requests(String)
    /// To a like of this kind of interaction.
    case likes(String)
  }

  package struct MatchList: Hashable, Sendable {
    package enum Origin: Hashable, Sendable {
      /// The kind of interaction that must be a like both ways.
      case mutual(String)
      /// The kind of requests; one of them must be accepted.
      case accepted(String)
    }

    package var name: String
    package var origin: Origin
  }

  /// How `nightjar-evaluate` judges the lists; the other stages do not read it.
  package struct Evaluation: Hashable, Sendable {
    package var cut = Cut.share(0.8)
    /// Categories of users: the cut is made inside each group of equal values.
    package var within: [String] = []
    /// The list lengths of the metrics, ascending.
    package var at = [1, 3, 10]
    /// Categories of users whose values form the slices; `nil` means the categories with few values.
    package var slices: [String]?
    /// The name of the model that is judged; `nil` is the first.
    package var model: String?
    package var laterProfiles = LaterProfiles.unknown
    /// How many samples a bootstrap draws.
    package var samples = 1000

    package init() {}
  }

  /// What is learned from and what is tested on.
  package enum Cut: Hashable, Sendable {
    /// The first so many of all interactions, by time, are learned from: above 0, below 1.
    case share(Double)
    /// Interactions up to this moment are learned from.
    case moment(Instant)
    /// Each user's last so many are tested on, whenever they were: others' learning rows know the future then.
    case leaveLast(Int)
  }

  /// What to take for a profile that was last updated after the cut, when no earlier version is known.
  package enum LaterProfiles: String, CaseIterable, Sendable {
    /// Position and attributes are missing: what is not known as of the cut decides nothing.
    case unknown
    /// As they were exported, which may leak the future.
    case asExported = "as_exported"
  }

  package struct Publication: Hashable, Sendable {
    /// As the file names them: `sqlite:PATH`, `postgresql://HOST/DATABASE`, `redis://HOST:PORT/NUMBER`; at least one.
    package var stores: [String]
    package var keep = 3
    /// By at most which share lists may become fewer from one generation to the next; `nil` is any.
    package var usersDropAtMost: Double?
    /// Which share of the lists may be empty; `nil` is any.
    package var listsEmptyAtMost: Double?
    /// Attributes that are published with each entity, by entity.
    package var attributes: [String: [String]] = [:]
    /// Whose positions are published, in order of entities.
    package var positions: [PublishedPositions] = []
  }

  package struct PublishedPositions: Hashable, Sendable {
    package var entity: String
    /// Those by flags.
    package var exclusions: [Exclusion] = []
  }
}

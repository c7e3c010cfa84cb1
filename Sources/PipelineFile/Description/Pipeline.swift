package import Readers
package import RunSchemas
package import Text

/// The contents of a pipeline file, which describes one product, after all checks and with default values.
///
/// The module reads, checks and describes pipeline files. It must not depend on a stage, because every stage
/// depends on it. It opens no export: `Checking` and `Ingest` compare a pipeline file with the data.
package struct Pipeline: Hashable, Sendable {
  package var name: String
  /// The seed of random draws and of the order of candidates with equal scores.
  package var seed: UInt64 = 0
  package var privacy = Privacy()
  /// The maximum share of a source's rows that may be rejected, 0 to 1.
  package var rejectLimit = 0.01
  /// The maximum share of a source's rows that may be dangling, 0 to 1.
  package var danglingLimit = 0.5
  /// The maximum rise of the share of dangling rows since the last complete run, 0 to 1.
  package var danglingRise = 0.1
  /// The origin of the as-of time, unless the command line sets the time.
  package var asOf = AsOf.clock
  /// The maximum share of a source's rows that may be later than the as-of time, 0 to 1. A source can set its
  /// own limit.
  package var laterLimit = 0.01
  /// The plausible times of rows in milliseconds since 1970 UTC. A source can set its own range.
  package var plausible = Pipeline.usuallyPlausible
  /// The number of complete runs to keep.
  package var keepRuns = 7
  package var report = ReportFiles()
  /// The entities, sorted by name. The arrays below are sorted by name, too.
  package var entities: [Entity] = []
  package var interactions: [Interaction] = []
  package var requests: [Requests] = []
  /// The unnamed model; see `models`.
  package var model: Model?
  package var namedModels: [Model] = []
  package var rankings: [Ranking] = []
  package var catalogs: [Catalog] = []
  package var matches: [MatchList] = []
  package var evaluation: Evaluation?
  package var publication: Publication?

  /// The values of the file after overrides, for manifests.
  package var configuration: JSONValue = .null
  /// The values of `--set` that changed the file.
  package var overrides: [String] = []
  /// The directory of the file. Paths in the file are relative to this directory.
  package var directory = "."
  /// The path of the file as given on the command line.
  package var file = ""

  /// Converts a path in the file to a path that this process can open.
  package func resolve(_ path: String) -> String {
    path.hasPrefix("/") || directory == "." ? path : directory + "/" + path
  }

  package func entity(_ name: String) -> Entity? {
    entities.first { $0.name == name }
  }

  package func interaction(_ name: String) -> Interaction? {
    interactions.first { $0.name == name }
  }

  /// The kinds of check-in, sorted by name. An entity has at most one kind of check-in.
  package var checkIns: [CheckIns] {
    entities.compactMap(\.checkIns).sorted { $0.name < $1.name }
  }

  /// The names of all sources: entities, check-ins, interactions and requests. Each group is sorted.
  package var sourceNames: [String] { sources.map(\.name) }

  /// Returns the kinds of interaction whose users are rows of `entity`.
  package func interactions(by entity: String) -> [Interaction] {
    interactions.filter { $0.user.entity == entity }
  }
}

extension Pipeline {
  package struct Privacy: Hashable, Sendable {
    /// The geohash precision, 1 to 12. Every position is replaced by the center of its cell of this
    /// precision, or of a coarser precision that `choice` gives.
    package var snapPrecision = 6
    /// How each person or thing chooses a coarser precision; `nil` if they cannot choose.
    package var choice: PrecisionChoice?
    /// Whether the pipeline file sets no precision, so that `snapPrecision` is the default.
    package var isDefault = true
    /// The directory of the tombstones, as written in the pipeline file; `nil` for the default, `erasures` in
    /// the pipeline's directory.
    package var erasures: String?
  }

  package struct Source: Hashable, Sendable {
    /// Files, folders and patterns in the pipeline file; `-` is standard input. The array is empty only for a
    /// DuckDB query that names its own files.
    package var paths: [String]
    package var format: ExportFormat
    package var options = ExportOptions()
    /// The conditions that a row must meet to be read; empty if all rows are read.
    package var conditions: [RowCondition] = []
    /// Whether the source is read even if its export lacks records, or its folder contains files that do not
    /// belong to the export (see `OddFiles`).
    package var allowsIncomplete = false
    /// The source's own limits; `nil` for the pipeline's limits.
    package var rejectLimit: Double?
    package var danglingLimit: Double?
    package var danglingRise: Double?
    /// The maximum share of later rows, 0 to 1; `nil` for the pipeline's maximum.
    package var laterLimit: Double?
    /// The plausible times in milliseconds since 1970 UTC; `nil` for the pipeline's range.
    package var plausible: ClosedRange<Int64>?

    /// The name of the source in messages.
    package var label: String { paths.isEmpty ? "a query" : paths.joined(separator: ", ") }
  }

  /// The maximum shares of rejected and dangling rows that a run accepts from a source, each from 0 to 1.
  package struct RowLimits: Hashable, Sendable {
    package var rejected: Double
    package var dangling: Double
    /// The maximum rise of the share of dangling rows since the last complete run.
    package var danglingRise: Double
  }

  /// Returns the limits of `source`. A limit that the source does not set is the pipeline's limit.
  package func rowLimits(of source: Source) -> RowLimits {
    RowLimits(
      rejected: source.rejectLimit ?? rejectLimit, dangling: source.danglingLimit ?? danglingLimit,
      danglingRise: source.danglingRise ?? danglingRise)
  }

  /// Requirements on a source. If the source violates a requirement, the run ends with status 65.
  package struct Expectations: Hashable, Sendable {
    /// The minimum and the maximum number of rows read; `nil` for no limit.
    package var atLeast: Int?
    package var atMost: Int?
    /// The maximum decrease and increase of the rows read since the last complete run, as shares. Without a
    /// maximum decrease, `usualDrop` applies.
    package var dropAtMost: Double?
    package var growAtMost: Double?
    /// The maximum age of the newest row at the as-of time, in milliseconds.
    package var newestAtMost: Int64?
    /// Sets of attributes whose values must be unique together. For interactions, the names are `user`,
    /// `candidate`, `at` and `value`. Missing values are never equal.
    package var unique: [[String]] = []
    /// The allowed range of values, by number attribute. The names also include `latitude` and `longitude` of
    /// positions, and `value` of interactions.
    package var ranges: [String: ClosedRange<Double>] = [:]
    /// The maximum share of rows without a value, by attribute or for `position`.
    package var missingAtMost: [String: Double] = [:]
    /// The file whose existence shows that the export is complete; `nil` if there is none. A path with a
    /// slash is relative to the directory of the pipeline file. A name without a slash refers to a file in
    /// the directory of the export.
    package var marker: String?
    /// The file that contains the number of rows of the export; `nil` if there is none. The path is resolved
    /// like the path of `marker`.
    package var rowsIn: String?

    /// The maximum decrease for sources and lists without a limit of their own. The value is below one half,
    /// to detect an export that lacks half of its rows. Very small exports are the exception; see
    /// `isNotable`.
    package static let usualDrop = 0.45
    /// The smallest drop of rows or users to which `usualDrop` applies. `usualDrop` also applies to a smaller
    /// drop of more than half; see `isNotable`.
    package static let leastDrop = 4

    /// Returns whether `usualDrop` applies to a drop from `before` by `drop`. The limit does not apply to
    /// small drops, because the deletion of a single account must not stop the run of a small app.
    package static func isNotable(_ drop: Int, of before: Int) -> Bool {
      drop >= leastDrop || (drop > 1 && 2 * drop > before)
    }

    package init() {}
  }

  /// A field that contains a time.
  package struct TimeField: Hashable, Sendable {
    package var from: String
    /// The unit if the field contains a number.
    package var unit = TimeUnit.milliseconds
    /// The plausible times in milliseconds since 1970 UTC. Rows with other times are rejected.
    package var plausible = Pipeline.usuallyPlausible
  }

  package struct Entity: Hashable, Sendable {
    package var name: String
    package var source: Source
    package var id: String
    package var created: TimeField?
    package var updated: TimeField?
    /// The reference to the entity's owner.
    package var owner: Reference?
    /// The position fields of the entity's own rows; `nil` if they have none.
    package var position: PositionFields?
    /// The check-ins that set the entity's position and some attributes.
    package var checkIns: CheckIns?
    /// The attributes of the entity's own rows and of its check-ins, sorted by name.
    package var attributes: [Attribute] = []
    /// Numbers that are computed from interactions, sorted by name. They are not among `attributes`.
    package var computed: [ComputedAttribute] = []
    package var expectations = Expectations()

    package func attribute(_ name: String) -> Attribute? {
      attributes.first { $0.name == name }
    }

    /// The attributes of the entity's own rows, without attributes of check-ins.
    package var ownAttributes: [Attribute] { attributes.filter { !$0.isOfCheckIn } }

    /// Whether the entity may have a position, from its own rows or from check-ins.
    package var hasPosition: Bool { position != nil || checkIns != nil }

    package var schema: EntitySchema {
      EntitySchema(
        name: name, hasPosition: hasPosition, hasCreated: created != nil, hasUpdated: updated != nil,
        owner: owner?.entity,
        attributes: Dictionary(uniqueKeysWithValues: attributes.map { ($0.name, $0.type) }),
        computed: computed.map(\.name))
    }
  }

  /// The fields of a position: one field for each coordinate, or one field for both.
  package enum PositionFields: Hashable, Sendable {
    case coordinates(latitude: String, longitude: String)
    case point(String, PointOrder)

    /// The names of the fields, without duplicates.
    package var names: [String] {
      switch self {
      case .coordinates(let latitude, let longitude):
        latitude == longitude ? [latitude] : [latitude, longitude]
      case .point(let field, _): [field]
      }
    }
  }

  /// The order of the two coordinates in one field.
  package enum PointOrder: String, CaseIterable, Sendable {
    case latitudeFirst = "lat_lon"
    case longitudeFirst = "lon_lat"
    /// The text is WKT, such as `POINT(13.4 52.5)`, in which the longitude comes first.
    case wkt
  }

  package struct Attribute: Hashable, Sendable {
    package var name: String
    package var type: AttributeType
    package var from: String
    /// Whether the export may lack this column.
    package var isOptional = false
    /// Whether a row without a value is rejected.
    package var isRequired = false
    /// Whether the value comes from check-ins instead of the entity's own rows.
    package var isOfCheckIn = false
    /// The separator between tags or intervals in one text.
    package var separator = ";"
    /// The member names of the start and the end, for intervals that are objects.
    package var ends = IntervalEnds()
    /// The allowed values of a category; `nil` if any value is allowed.
    package var names: CanonicalNames?
    /// The name of the date that this date must not precede: `created`, or another attribute; `nil` if
    /// there is no such rule.
    package var notBefore: String?
    /// Whether a row with a date after the as-of time is rejected.
    package var isNotInFuture = false
  }

  /// A field with ids of an entity.
  package struct Reference: Hashable, Sendable {
    package var from: String
    package var entity: String
    /// Whether the field may be empty or contain an unknown id. Only references to owners may set this
    /// property.
    package var isOptional = false
    /// The entity whose ids the field contains, if the candidate is the owner of the row with this id;
    /// otherwise `nil`. Only references to candidates of interactions may set this property.
    package var of: String?
    /// With `of`: whether only a user's first interaction with each id in the field is kept.
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

    package var schema: InteractionSchema {
      InteractionSchema(
        name: name, likedFrom: value.likedFrom,
        entities: InteractionSchema.Entities(users: user.entity, candidates: candidate.entity))
    }
  }

  package struct Model: Hashable, Sendable {
    package var learnsFrom: String
    package var features: [Feature]
    package var method = Method.createml
    /// Whether cross-validation within the learning rows chooses which of the `features` are used, and how
    /// far users may differ from the population.
    package var isChosenWithinLearning = false
    /// The name of the model; `nil` for the unnamed model.
    package var name: String?
    /// The negative samples that the model also learns from; `nil` if there are none.
    package var negatives: Negatives?
  }

  /// The learning method.
  package enum Method: Hashable, Sendable {
    /// One regression per user with a weak penalty, as in Apple's Create ML.
    case createml
    /// One ridge regression per user, with the same penalty for all users.
    case ridge(Penalty)
    /// One ridge regression for all users.
    case everybody(Penalty)
    /// One model per user with a prior: the distribution of coefficients in the population, or in the user's
    /// group. `by` is the category attribute that defines the groups; `nil` for the population.
    case population(by: String?)
  }

  /// The penalty of a ridge regression on the sum of squared coefficients, for columns with unit standard
  /// deviation.
  package enum Penalty: Hashable, Sendable {
    /// The penalty is chosen from a grid by cross-validation.
    case automatic
    /// A given penalty above 0.
    case fixed(Double)
  }
}

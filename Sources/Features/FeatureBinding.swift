internal import Columns
internal import Files
internal import PipelineFile
internal import RunSchemas

/// Builds the features of a space from the entries of a pipeline file.
struct FeatureBinding {
  let users: EntityTable
  let candidates: EntityTable
  /// Whether users and candidates are of one kind: then an attribute's codes are the same.
  let isOneKind: Bool
  /// What is learned from.
  private let interaction: Pipeline.Interaction
  private let pipeline: Pipeline
  /// What rows are learned from; `nil`: the interactions of the snapshot.
  private let learning: InteractionTable?
  /// The kinds of interaction that candidates do.
  let done: [InteractionTable]
  let snapshot: Snapshot
  let threads: Int
  private(set) var features: [FeatureSpace.Feature] = []
  private(set) var columns: [String] = []

  init(
    interaction: Pipeline.Interaction, users: EntityTable, candidates: EntityTable, _ pipeline: Pipeline,
    _ snapshot: Snapshot, learning: InteractionTable?, threads: Int
  ) {
    self.learning = learning
    self.interaction = interaction
    self.pipeline = pipeline
    self.users = users
    self.candidates = candidates
    isOneKind = interaction.user.entity == interaction.candidate.entity
    done = pipeline.interactions(by: interaction.candidate.entity).map { kind in
      guard let table = snapshot.interactions[kind.name] else {
        preconditionFailure("no interactions '\(kind.name)'")
      }
      return table
    }
    self.snapshot = snapshot
    self.threads = threads
  }

  /// Adds the entry `number` of the pipeline file's `features`.
  mutating func add(_ entry: Pipeline.Feature, number: Int) {
    for (name, bound) in zip(entry.names, values(of: entry)) {
      features.append(
        FeatureSpace.Feature(
          values: bound.values, firstColumn: columns.count, width: bound.columns?.count ?? 1, name: name,
          entry: number, isPublic: bound.isPublic))
      columns += bound.columns?.map { name + $0 } ?? [name]
    }
  }

  /// The values of one feature.
  private struct Bound {
    var values: FeatureValues
    /// What follows the feature's name in the names of its columns; `nil` for one column that is called as it is.
    var columns: [String]?
    var isPublic = true

    init(_ values: FeatureValues, columns: [String]? = nil, isPublic: Bool = true) {
      self.values = values
      self.columns = columns
      self.isPublic = isPublic
    }

    init(codes: [UInt32], _ words: [String], isPublic: Bool = true) {
      self.init(.category(codes, words), columns: words.map { "=" + $0 }, isPublic: isPublic)
    }
  }

  /// One for each name of `entry`.
  private func values(of entry: Pipeline.Feature) -> [Bound] {
    switch entry {
    case .category(let name):
      let column = candidates.category(name)
      return [Bound(codes: column.codes.elements, column.vocabulary.strings)]
    case .number(let name):
      if let computed = computed(name) { return [computed] }
      return [Bound(.number(candidates.number(name).elements, low: "low", high: "high"))]
    case .bins(let name, let bins):
      let values = candidates.number(name).elements
      let binned = NumberBins(bins, of: values)
      return [Bound(codes: values.map(binned.code), binned.names)]
    case .position:
      guard let latitude = candidates.latitude, let longitude = candidates.longitude else {
        preconditionFailure("no position")
      }
      return [
        Bound(.number(latitude.elements, low: "south", high: "north")),
        Bound(.number(longitude.elements, low: "west", high: "east")),
      ]
    case .distance: return [Bound(.distance)]
    case .geohash(let precision):
      let (codes, cells) = candidates.cells(ofPrecision: precision)
      // Tells more of where somebody is than a distance.
      return [Bound(codes: codes, cells, isPublic: false)]
    case .text(let name, let dimensions):
      let vectors = HashedWords.vectors(of: candidates.text(name), dimensions: dimensions)
      return [Bound(.text(vectors), columns: (0..<dimensions).map { "#\($0)" })]
    case .activity:
      let values = Behaviour.activity(of: candidates.count, in: done)
      return [Bound(.number(values, low: "low", high: "high"), isPublic: false)]
    case .recency:
      let values = Behaviour.recency(of: candidates.count, in: done, asOf: snapshot.manifest.asOf)
      return [Bound(.number(values, low: "recent", high: "long_ago"), isPublic: false)]
    case .receivedLikeRate(let rate): return [Bound(received(rate), isPublic: false)]
    case .same(let pair): return [Bound(same(pair))]
    case .difference(let pair, let isSigned):
      let (user, candidate) = (users.measure(pair.user), candidates.measure(pair.candidate))
      return [Bound(.difference(users: user, candidates: candidate, isAbsolute: !isSigned))]
    case .overlap(let pair): return [Bound(overlap(pair))]
    case .follows(let choice): return [Bound(.follows(followed(choice)))]
    case .weekday(let name):
      return [Bound(codes: candidates.weekdays(name), EntityTable.weekdayNames)]
    case .age(let name):
      let now = snapshot.manifest.asOf.years
      // Whoever is not born yet has no age.
      let ages = candidates.years(name).map { $0 > now ? .nan : now - $0 }
      return [Bound(.number(ages, low: "low", high: "high"))]
    }
  }
}

// MARK: Values of several columns

extension FeatureBinding {
  private func received(_ rate: Pipeline.ReceivedLikeRate) -> FeatureValues {
    guard let table = snapshot.interactions[rate.interaction] else {
      preconditionFailure("no interactions '\(rate.interaction)'")
    }
    let rates = ReceivedRates(table, smoothing: rate.smoothing, isAdjusted: rate.isAdjusted, threads: threads)
    // Another kind has no row that is learned from, so there is nothing to leave out of it.
    return rate.isLearnedFrom ? .received(rates) : .number(rates.values, low: "low", high: "high")
  }

  /// The computed attribute `name`; `nil` where there is none. It is published where lists show it anyway: else it is what
  /// others did to the candidate.
  private func computed(_ name: String) -> Bound? {
    let kind = interaction.candidate.entity
    guard let attribute = pipeline.entity(kind)?.computedAttribute(name),
      let column = candidates.computed[name]
    else { return nil }
    guard let received = snapshot.interactions[attribute.interaction],
      let learning = learning ?? snapshot.interactions[interaction.name]
    else { preconditionFailure("no interactions '\(attribute.interaction)'") }
    var groups: CategoryColumn?
    if case .shrunkenMean(_, let group?) = attribute.measure { groups = candidates.category(group) }
    let values = ComputedValues(
      column.elements, of: attribute, received: received, learning: learning, groups: groups,
      isOfUsers: pipeline.interaction(attribute.interaction)?.user.entity == interaction.user.entity,
      threads: threads)
    let isShown = pipeline.rankings.contains {
      $0.candidates == kind && $0.shown.contains(.attribute(name))
    }
    return Bound(.computed(values), isPublic: isShown)
  }

  private func followed(_ choice: Pipeline.Choice) -> FollowedTargets {
    let (kind, targets) =
      switch choice {
      case .liked(let kind): (kind, (0..<candidates.count).map { UInt32($0) })
      // Nobody is the largest number there, as what is missing is here.
      case .owned(let kind): (kind, candidates.owner?.elements ?? [])
      }
    guard let history = snapshot.history(of: kind),
      let learning = learning ?? snapshot.interactions[interaction.name]
    else { preconditionFailure("no interactions '\(kind)'") }
    return FollowedTargets(history, targets: targets, learning: learning, threads: threads)
  }

  /// Codes of the users' vocabulary for both.
  private func overlap(_ pair: Pipeline.AttributePair) -> FeatureValues {
    let (user, candidate) = (users.tags(pair.user), candidates.tags(pair.candidate))
    if isOneKind, pair.user == pair.candidate {
      let sets = CodeSets(candidate)
      return .overlap(users: sets, candidates: sets)
    }
    let shared = candidate.vocabulary.codes(in: user.vocabulary)
    return .overlap(users: CodeSets(user), candidates: CodeSets(candidate) { shared[Int($0)] })
  }

  /// Codes of the users' vocabulary for both.
  private func same(_ pair: Pipeline.AttributePair) -> FeatureValues {
    let (user, candidate) = (users.category(pair.user), candidates.category(pair.candidate))
    let codes = candidate.codes.elements
    if isOneKind, pair.user == pair.candidate { return .same(users: codes, candidates: codes) }
    let shared = candidate.vocabulary.codes(in: user.vocabulary)
    return .same(
      users: user.codes.elements,
      candidates: codes.map { $0 == CategoryColumn.missing ? $0 : shared[Int($0)] })
  }
}

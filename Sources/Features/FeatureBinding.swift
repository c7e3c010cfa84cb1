internal import PipelineFile
internal import Tables

/// Builds the features of a space from the entries of a pipeline file.
struct FeatureBinding {
  let users: EntityTable
  let candidates: EntityTable
  /// Whether users and candidates are of one kind: then an attribute's codes are the same.
  let isOneKind: Bool
  let snapshot: Snapshot
  private(set) var features: [FeatureSpace.Feature] = []
  private(set) var columns: [String] = []

  init(
    interaction: Pipeline.Interaction, users: EntityTable, candidates: EntityTable, snapshot: Snapshot
  ) {
    self.users = users
    self.candidates = candidates
    isOneKind = interaction.user.entity == interaction.candidate.entity
    self.snapshot = snapshot
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
  }

  /// One for each name of `entry`.
  private func values(of entry: Pipeline.Feature) -> [Bound] {
    switch entry {
    case .category(let name):
      let column = candidates.category(name)
      let vocabulary = column.vocabulary.strings
      return [
        Bound(
          values: .category(column.codes.elements, vocabulary), columns: vocabulary.map { "=" + $0 })
      ]
    case .number(let name):
      return [Bound(values: .number(candidates.number(name).elements, low: "low", high: "high"))]
    case .position:
      guard let latitude = candidates.latitude, let longitude = candidates.longitude else {
        preconditionFailure("no position")
      }
      return [
        Bound(values: .number(latitude.elements, low: "south", high: "north")),
        Bound(values: .number(longitude.elements, low: "west", high: "east")),
      ]
    case .distance:
      return [Bound(values: .distance)]
    case .receivedLikeRate(let rate):
      return [Bound(values: received(rate), isPublic: false)]
    case .same(let pair):
      return [Bound(values: same(pair))]
    case .difference(let pair, let isSigned):
      return [
        Bound(
          values: .difference(
            users: users.number(pair.user).elements, candidates: candidates.number(pair.candidate).elements,
            isAbsolute: !isSigned))
      ]
    }
  }

  private func received(_ rate: Pipeline.ReceivedLikeRate) -> FeatureValues {
    guard let table = snapshot.interactions[rate.interaction] else {
      preconditionFailure("no interactions '\(rate.interaction)'")
    }
    let rates = ReceivedRates(table, smoothing: rate.smoothing, isAdjusted: rate.isAdjusted)
    // Another kind has no row that is learned from, so there is nothing to leave out of it.
    return rate.isLearnedFrom ? .received(rates) : .number(rates.values, low: "low", high: "high")
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

extension EntityTable {
  // The pipeline file was checked, and the snapshot is that of its schema.

  func category(_ name: String) -> CategoryColumn {
    guard let column = categories[name] else { preconditionFailure("no category '\(name)'") }
    return column
  }

  func number(_ name: String) -> Column<Double> {
    guard let column = numbers[name] else { preconditionFailure("no number '\(name)'") }
    return column
  }
}

extension StringColumn {
  /// The codes that the words of this vocabulary have in `other`, or codes behind all of it for words that it lacks.
  ///
  /// Both are in ascending byte order, as vocabularies are.
  func codes(in other: StringColumn) -> [UInt32] {
    (0..<count).map { word in
      UInt32(other.row(of: Array(copying: bytes(word))) ?? other.count + word)
    }
  }
}

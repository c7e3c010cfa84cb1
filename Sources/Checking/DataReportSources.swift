internal import Columns
internal import Geohash
internal import Ingest
internal import PipelineFile
internal import Readers
internal import RunSchemas
internal import Text

extension DataReport {
  /// The maximum number of example rows for each rule.
  static let exampleCount = 3
}

extension DataReport.Source {
  private init(_ source: ReadSource, _ kind: SourceKind, columns: [DataReport.Column]) {
    name = source.name
    self.kind = kind
    files = source.rejects.files
    (read, kept, merged) = (source.counts.read, source.counts.kept, source.counts.merged)
    later = source.counts.later
    (rejected, dangling) = (source.counts.rows(.rejected), source.counts.rows(.dangling))
    (notAllowed, erased) = (source.counts.rows(.notAllowed), source.counts.erased)
    absentFields = source.counts.absentFields
    newest = source.counts.newest.map(Instant.init(milliseconds:))
    (leftOut, leftOutByAll) = (source.counts.leftOut, source.counts.leftOutByAll)
    self.columns = columns
    let rejects = source.rejects.listed
    rules = source.counts.rules.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
      .map { rule, rows in
        let examples = rejects.lazy.filter { $0.reject.rule == rule }.prefix(DataReport.exampleCount)
        return DataReport.Rule(
          rule: rule.rawValue, outcome: rule.outcome?.rawValue ?? "merged", rows: rows,
          examples: examples.map {
            DataReport.Example(
              file: $0.file, unit: $0.reject.unit.rawValue, number: $0.reject.number, field: $0.reject.field,
              value: $0.reject.value)
          })
      }
  }

  /// Creates the report on an entity. `isKept` contains, for each row, whether ingest keeps the row.
  /// `precision` is the precision of the counted cells.
  init(_ source: ReadSource, _ entities: EntityRows, isKept: [Bool], precision: Int) {
    let kept = entities.rows.indices.filter { isKept[$0] }
    let rows = kept.map { entities.rows[$0] }
    let entity = entities.entity
    var columns = zip(entity.attributes, entities.attributes).map { attribute, values in
      DataReport.Column(attribute.name, attribute.type, kept.map { values[$0] })
    }
    if entity.created != nil { columns.append(DataReport.Column(times: "created", rows.map(\.created))) }
    if entity.updated != nil { columns.append(DataReport.Column(times: "updated", rows.map(\.updated))) }
    if entity.hasPosition {
      let positions = rows.compactMap(\.position)
      columns.append(
        DataReport.Column(numbers: "latitude", positions.map(\.latitude), rows: rows.count))
      columns.append(
        DataReport.Column(numbers: "longitude", positions.map(\.longitude), rows: rows.count))
      self.init(source, .entity, columns: columns)
      self.positions = DataReport.Positions(
        without: rows.count - positions.count,
        cells: Set(positions.map { Geohash($0, precision: precision) }).count)
    } else {
      self.init(source, .entity, columns: columns)
    }
  }

  /// Creates the report on check-ins. `kept` contains the indices of the kept rows. Attributes that check-ins
  /// set are in the report on the entity instead.
  init(_ source: ReadSource, _ checkIns: CheckInRows, kept: [Int]) {
    let rows = checkIns.columns.rows
    self.init(source, .checkIns, columns: [DataReport.Column(times: "at", kept.map { rows[$0].at })])
    expired = source.counts.expired
  }

  /// Creates the report on one kind of requests.
  init(_ source: ReadSource, _ requests: RequestRows) {
    let rows = requests.rows
    self.init(
      source, .requests,
      columns: [
        DataReport.Column(times: "at", rows.map(\.at)),
        DataReport.Column("status", .category, rows.map { .text(Array($0.status.rawValue.utf8)) }),
      ])
    pairs = DataReport.Pairs(rows.map { UInt64($0.user) << 32 | UInt64($0.candidate) })
  }

  /// Creates the report on one kind of interactions. `kept` contains the indices of the kept rows.
  init(_ source: ReadSource, _ interactions: InteractionRows, kept: [Int]) {
    let rows = interactions.rows
    self.init(
      source, .interaction,
      columns: [
        DataReport.Column(times: "at", kept.map { rows[$0].at }),
        DataReport.Column(values: kept.map { rows[$0].value }, names: interactions.interaction.value.numbers),
      ])
    ignored = source.counts.ignored
    pairs = DataReport.Pairs(kept.map { UInt64(rows[$0].user) << 32 | UInt64(rows[$0].candidate) })
  }
}

extension DataReport.Pairs {
  /// Computes the figures of interactions or requests. Each element of `pairs` represents one row: its high
  /// 32 bits are the rank of the user's id, and its low 32 bits are the rank of the candidate's id.
  ///
  /// - Complexity: O(n log n) time and O(n) memory in the number of rows.
  init(_ pairs: [UInt64]) {
    let sorted = pairs.sorted()
    let users = sorted.runLengths { $0 >> 32 }.sorted()
    self.users = users.count
    repeated = sorted.runLengths { $0 }.count { $0 > 1 }
    candidates = pairs.map { UInt32(truncatingIfNeeded: $0) }.sorted().runLengths { $0 }.count
    medianPerUser = users.median ?? 0
    mostPerUser = users.last ?? 0
  }
}

extension Array {
  /// Returns the lengths of the sequences of adjacent elements with equal keys.
  fileprivate func runLengths<Key: Equatable>(of key: (Element) -> Key) -> [Int] {
    var lengths: [Int] = []
    var current: Key?
    for element in self {
      let next = key(element)
      if next == current { lengths[lengths.count - 1] += 1 } else { lengths.append(1) }
      current = next
    }
    return lengths
  }
}

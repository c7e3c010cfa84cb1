internal import Geohash
internal import PipelineFile
internal import Readers

/// One value of a row, in the form that expectations compare.
enum CheckedValue {
  case missing
  case bytes([UInt8])
  /// A number other than NaN.
  case number(Double)
  case integer(Int64)
  case position
}

/// The kept rows of one source, by index, for the expectations that read their values.
struct CheckedRows {
  let count: Int
  /// Given the index of a row, returns its place in the files of the source, for messages.
  let place: (Int) -> String
  /// Given the name of an attribute, returns its values by index of the row; `nil` if the attribute does not
  /// exist.
  let values: (String) -> ((Int) -> CheckedValue)?

  /// Collects the kept rows of the entity `name`. Returns `nil` if they could not be read.
  init?(entities name: String, in exports: IngestedExports) {
    guard let entities = exports.entities[name] else { return nil }
    let isKept = exports.isKept(name)
    let rows = entities.rows
    let kept = rows.indices.filter { isKept[$0] }
    count = kept.count
    let rejects = entities.rejects
    place = { index in
      let row = rows[kept[index]]
      return rejects.shown(RowPlace(file: Int(row.file), unit: row.unit, number: row.number))
    }
    let names = entities.entity.attributes.map(\.name)
    let attributes = entities.attributes
    values = { name in
      if let index = names.firstIndex(where: { $0.utf8.elementsEqual(name.utf8) }) {
        return { CheckedValue(attributes[index][kept[$0]]) }
      }
      switch name {
      case "latitude": return { rows[kept[$0]].position.map { .number($0.latitude) } ?? .missing }
      case "longitude": return { rows[kept[$0]].position.map { .number($0.longitude) } ?? .missing }
      case "position": return { rows[kept[$0]].position == nil ? .missing : .position }
      default: return nil
      }
    }
  }

  /// Collects the kept check-ins, without places and values, because expectations read the attributes of
  /// check-ins in the rows of the entity.
  init(_ checkIns: CheckInRows, in exports: IngestedExports) {
    let kept = exports.keptIndices(of: checkIns)
    count = kept.count
    place = { _ in "a row" }
    values = { _ in nil }
  }

  /// Collects the kept requests, without places and values, because expectations do not read them.
  init(_ requests: RequestRows) {
    count = requests.rows.count
    place = { _ in "a row" }
    values = { _ in nil }
  }

  /// Collects the kept interactions.
  init(_ interactions: InteractionRows, in exports: IngestedExports) {
    let kept = exports.keptIndices(of: interactions)
    let rows = interactions.rows
    count = kept.count
    place = { index in
      // Places are stored only if an expectation needs them.
      kept[index] < interactions.places.count
        ? interactions.rejects.shown(interactions.places[kept[index]]) : "a row"
    }
    values = { name in
      switch name {
      // Each id has exactly one rank, so comparing ranks is enough.
      case "user": { .integer(Int64(rows[kept[$0]].user)) }
      case "candidate": { .integer(Int64(rows[kept[$0]].candidate)) }
      case "at": { .integer(rows[kept[$0]].at) }
      case "value":
        {
          let value = rows[kept[$0]].value
          return value.isNaN ? .missing : .number(value)
        }
      default: nil
      }
    }
  }
}

extension CheckedValue {
  fileprivate init(_ value: AttributeValue) {
    switch value {
    case .text(let text): self = text.map { .bytes($0) } ?? .missing
    case .number(let number): self = number.isNaN ? .missing : .number(number)
    case .flag(let flag): self = .integer(flag ? 1 : 0)
    case .date(let instant): self = instant.map { .integer($0) } ?? .missing
    case .intervals(let intervals):
      var key: [UInt8] = []
      for interval in intervals {
        Self.integer(interval.lowerBound).append(to: &key)
        Self.integer(interval.upperBound).append(to: &key)
      }
      self = intervals.isEmpty ? .missing : .bytes(key)
    case .tags(let tags):
      // Equal sets list their words in the same order: the order in which the words first occurred
      // in the column.
      var key: [UInt8] = []
      for tag in tags { Self.bytes(tag).append(to: &key) }
      self = tags.isEmpty ? .missing : .bytes(key)
    }
  }

  var isMissing: Bool { if case .missing = self { true } else { false } }

  /// Appends an encoding of the value. Two values of one attribute have the same encoding only if they are
  /// equal, and no encoding is a prefix of another. A missing value and a position have no encoding.
  func append(to key: inout [UInt8]) {
    switch self {
    case .missing, .position: break
    case .bytes(let bytes):
      Self.append(UInt64(bytes.count), to: &key)
      key += bytes
    // Positive and negative zero are equal, so both get the same bytes.
    case .number(let number): Self.append((number + 0.0).bitPattern, to: &key)
    case .integer(let integer): Self.append(UInt64(bitPattern: integer), to: &key)
    }
  }

  private static func append(_ word: UInt64, to key: inout [UInt8]) {
    for shift in stride(from: 0, to: 64, by: 8) {
      key.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
    }
  }
}

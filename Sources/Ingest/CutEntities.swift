internal import Tables

/// The entities of one kind that existed at their cut, each as it was then.
struct CutEntities {
  private let table: EntityTable
  /// Rows of `table`, ascending, and which version of each is shown.
  private var rows: [Int] = []
  private var versions: [EntityVersion] = []
  /// By row of `table`: the row after the cut, or `CutSnapshot.leftOut`.
  private(set) var newRows: [UInt32] = []
  private(set) var counts = CutSnapshot.Counts()

  /// - Parameters:
  ///   - table: The entities of the later snapshot.
  ///   - laterProfiles: What becomes of whoever is known only from later.
  ///   - cut: The moment of which a row is shown, in milliseconds.
  init(_ table: EntityTable, laterProfiles: SnapshotCut.LaterProfiles, cut: (_ row: Int) -> Int64) {
    self.table = table
    newRows.reserveCapacity(table.count)
    for row in 0..<table.count {
      let version = table.version(of: row, at: cut(row))
      switch version {
      case .notYet:
        counts.notYet += 1
        newRows.append(CutSnapshot.leftOut)
        continue
      case .unknown: counts.unknown += 1
      case .current: break
      }
      newRows.append(UInt32(rows.count))
      rows.append(row)
      versions.append(version == .unknown && laterProfiles == .asExported ? .current : version)
    }
    counts.kept = rows.count
  }

  /// Writes the columns to `name`.
  func write(to name: String, in directory: inout StageDirectory) throws(FileError) {
    try StringColumn.write(
      rows.map { (column: 0, row: $0) }, of: [table.ids], to: name + "/id", in: &directory)
    if let latitude = table.latitude, let longitude = table.longitude {
      try write(latitude, missing: .nan, to: name + "/latitude.npy", in: &directory)
      try write(longitude, missing: .nan, to: name + "/longitude.npy", in: &directory)
    }
    if let created = table.created {
      // Known, or the entity would not be here.
      let created = created.elements
      try Column.write(rows.map { created[$0] }, to: name + "/created.npy", in: &directory)
    }
    if let updated = table.updated {
      try write(updated, missing: .min, to: name + "/updated.npy", in: &directory)
    }
    let attributes = name + "/attributes/"
    for (name, column) in table.categories.sorted(by: { $0.key < $1.key }) {
      try write(column, to: attributes + name, in: &directory)
    }
    for (name, column) in table.numbers.sorted(by: { $0.key < $1.key }) {
      try write(column, missing: .nan, to: attributes + name + ".npy", in: &directory)
    }
    for (name, column) in table.flags.sorted(by: { $0.key < $1.key }) {
      try write(column, missing: 0, to: attributes + name + ".npy", in: &directory)
    }
    for (name, column) in table.texts.sorted(by: { $0.key < $1.key }) {
      try StringColumn.write(places, of: [column], to: attributes + name, in: &directory)
    }
    for (name, column) in table.tags.sorted(by: { $0.key < $1.key }) {
      try write(column, to: attributes + name, in: &directory)
    }
    for (name, column) in table.dates.sorted(by: { $0.key < $1.key }) {
      try write(column, missing: .min, to: attributes + name + ".npy", in: &directory)
    }
  }

  /// Where the text of each row stands.
  private var places: [(column: Int, row: Int)?] {
    zip(rows, versions).map { row, version in
      switch version {
      case .current: (0, row)
      case .unknown, .notYet: nil
      }
    }
  }

  /// The values shown.
  private func values<Element>(_ column: Column<Element>, missing: Element) -> [Element] {
    let current = column.elements
    return zip(rows, versions).map { row, version in
      switch version {
      case .current: current[row]
      case .unknown, .notYet: missing
      }
    }
  }

  private func write<Element>(
    _ column: Column<Element>, missing: Element, to name: String, in directory: inout StageDirectory
  ) throws(FileError) {
    try Column.write(values(column, missing: missing), to: name, in: &directory)
  }

  private func write(_ column: CategoryColumn, to name: String, in directory: inout StageDirectory)
    throws(FileError)
  {
    try CategoryColumn.write(
      values(column.codes, missing: CategoryColumn.missing), in: column.vocabulary.bytes, to: name,
      in: &directory)
  }

  private func write(_ column: TagColumn, to name: String, in directory: inout StageDirectory)
    throws(FileError)
  {
    let codes = column.codes.elements
    try TagColumn.write(
      places.map { place in place.map { Array(codes[column.range($0.row)]) } ?? [] },
      in: column.vocabulary.bytes, to: name, in: &directory)
  }
}

extension StringColumn {
  /// All texts, in row order.
  fileprivate var bytes: [[UInt8]] { (0..<count).map { Array(copying: bytes($0)) } }
}

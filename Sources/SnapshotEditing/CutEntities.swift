internal import Columns
internal import Files
internal import PipelineFile
internal import RunSchemas
internal import Text

/// The rows of an entity that existed at a cut, each in its version of that time. Each row can have its own
/// cut.
struct CutEntities {
  private let table: EntityTable
  /// The kept rows of `table`, in ascending order. `versions` contains the version of each kept row.
  private var rows: [Int] = []
  private var versions: [EntityVersion] = []
  /// By row of `table`, the row in the new snapshot, or `CutSnapshot.noRow`. In the result of `before`, the
  /// new row of each version.
  private(set) var newRows: [UInt32] = []
  private(set) var counts = CutSnapshot.Counts()

  /// - Parameters:
  ///   - table: The rows of the later snapshot.
  ///   - laterProfiles: The treatment of rows whose profiles are all after the cut.
  ///   - cut: The cut of each row, in milliseconds since 1970 UTC.
  init(_ table: EntityTable, laterProfiles: Pipeline.LaterProfiles, cut: (_ row: Int) -> Int64) {
    self.table = table
    newRows.reserveCapacity(table.count)
    for row in 0..<table.count {
      let version = table.version(of: row, at: cut(row))
      switch version {
      case .notYet:
        counts.notYet += 1
        newRows.append(CutSnapshot.noRow)
        continue
      case .unknown: counts.unknown += 1
      case .earlier: counts.earlier += 1
      case .current: break
      }
      newRows.append(UInt32(rows.count))
      rows.append(row)
      versions.append(version == .unknown && laterProfiles == .asExported ? .current : version)
    }
    counts.kept = rows.count
  }

  /// Keeps all rows of `table` unchanged, except the rows that `leftOut` selects.
  init(_ table: EntityTable, without leftOut: (_ row: Int) -> Bool) {
    self.table = table
    for row in 0..<table.count {
      guard !leftOut(row) else {
        newRows.append(CutSnapshot.noRow)
        continue
      }
      newRows.append(UInt32(rows.count))
      rows.append(row)
      versions.append(.current)
    }
    counts.kept = rows.count
  }

  /// Returns, for each kept row, the versions before the kept version; `nil` if there are none. If rows have
  /// owners, `owners` contains the owners' new rows, and versions whose owner is left out are dropped.
  private func before(owners: [UInt32]?) -> CutEntities? {
    guard let earlier = table.earlier else { return nil }
    var found = CutEntities(empty: table)
    let owned = owners == nil ? nil : earlier.owner
    for index in 0..<earlier.count {
      let newRow = newRows[Int(earlier.row[index])]
      guard newRow != CutSnapshot.noRow else { continue }
      switch versions[Int(newRow)] {
      case .current: break
      case .earlier(let kept): if index >= kept { continue }
      case .unknown, .notYet: continue
      }
      if let owner = owned?[index], owner != EntityTable.noOwner,
        owners?[Int(owner)] == CutSnapshot.noRow
      {
        continue
      }
      found.newRows.append(newRow)
      found.rows.append(Int(earlier.row[index]))
      found.versions.append(.earlier(index))
    }
    return found.rows.isEmpty ? nil : found
  }

  private init(empty table: EntityTable) { self.table = table }

  /// Writes the columns and the earlier versions to `name`. `owners` contains the new rows of owners, by row
  /// of the original snapshot. A row whose owner is left out has no owner in the new snapshot.
  func write(to name: String, owners: [UInt32]?, in directory: inout StageDirectory) throws(FileError) {
    try StringColumn.write(
      rows.map { (column: 0, row: $0) }, of: [table.ids], to: name + "/id", in: &directory)
    try writeColumns(to: name, owners: owners, in: &directory)
    guard let before = before(owners: owners) else { return }
    try Column.write(before.newRows, to: name + "/earlier/row.npy", in: &directory)
    try before.writeColumns(to: name + "/earlier", owners: owners, in: &directory)
  }

  /// Writes all columns except ids to `name`.
  private func writeColumns(
    to name: String, owners: [UInt32]?, in directory: inout StageDirectory
  ) throws(FileError) {
    let earlier = table.earlier
    if let latitude = table.latitude, let longitude = table.longitude {
      try write(latitude, earlier?.latitude, missing: .nan, to: name + "/latitude.npy", in: &directory)
      try write(longitude, earlier?.longitude, missing: .nan, to: name + "/longitude.npy", in: &directory)
    }
    if let created = table.created {
      // A row with an unknown profile keeps the current creation time, which showed that the row existed at
      // the cut.
      try Column.write(
        values(created, earlier?.created) { created[$0] }, to: name + "/created.npy", in: &directory)
    }
    if let updated = table.updated {
      try write(updated, earlier?.updated, missing: .min, to: name + "/updated.npy", in: &directory)
    }
    if let owner = table.owner, let owners {
      let shown = values(owner, earlier?.owner) { owner[$0] }
      try Column.write(
        shown.map { $0 == EntityTable.noOwner ? $0 : owners[Int($0)] }, to: name + "/owner.npy",
        in: &directory)
    }
    let attributes = name + "/attributes/"
    for (name, column) in table.categories.sorted(by: { $0.key < $1.key }) {
      try write(column, earlier?.attributes.categories[name], to: attributes + name, in: &directory)
    }
    for (name, column) in table.numbers.sorted(by: { $0.key < $1.key }) {
      try write(
        column, earlier?.attributes.numbers[name], missing: .nan, to: attributes + name + ".npy",
        in: &directory)
    }
    for (name, column) in table.flags.sorted(by: { $0.key < $1.key }) {
      try write(
        column, earlier?.attributes.flags[name], missing: 0, to: attributes + name + ".npy", in: &directory)
    }
    for (name, column) in table.texts.sorted(by: { $0.key < $1.key }) {
      let columns = [column] + (earlier?.attributes.texts[name].map { [$0] } ?? [])
      try StringColumn.write(places, of: columns, to: attributes + name, in: &directory)
    }
    for (name, column) in table.tags.sorted(by: { $0.key < $1.key }) {
      try write(column, earlier?.attributes.tags[name], to: attributes + name, in: &directory)
    }
    for (name, column) in table.dates.sorted(by: { $0.key < $1.key }) {
      try write(
        column, earlier?.attributes.dates[name], missing: .min, to: attributes + name + ".npy",
        in: &directory)
    }
    for (name, column) in table.intervals.sorted(by: { $0.key < $1.key }) {
      try write(column, earlier?.attributes.intervals[name], to: attributes + name, in: &directory)
    }
  }

  private func write(
    _ current: IntervalColumn, _ earlier: IntervalColumn?, to name: String,
    in directory: inout StageDirectory
  ) throws(FileError) {
    let shown = zip(rows, versions).map { row, version -> [Range<Int64>] in
      switch version {
      case .current: current.intervals(row)
      case .earlier(let index): earlier?.intervals(index) ?? []
      case .unknown, .notYet: []
      }
    }
    try IntervalColumn.write(shown, to: name, in: &directory)
  }

  /// The location of each row's text: column 0 is in the table, and column 1 is in the earlier versions. The
  /// location is `nil` for an unknown profile.
  private var places: [(column: Int, row: Int)?] {
    zip(rows, versions).map { row, version in
      switch version {
      case .current: (0, row)
      case .earlier(let index): (1, index)
      case .unknown, .notYet: nil
      }
    }
  }

  /// Returns the values of the kept versions; `missing` for a row whose profile is unknown.
  private func values<Element>(
    _ current: Column<Element>, _ earlier: Column<Element>?, missing: (_ row: Int) -> Element
  ) -> [Element] {
    let current = current.elements
    let earlier = earlier?.elements ?? []
    return zip(rows, versions).map { row, version in
      switch version {
      case .current: current[row]
      case .earlier(let index): earlier[index]
      case .unknown, .notYet: missing(row)
      }
    }
  }

  private func write<Element>(
    _ current: Column<Element>, _ earlier: Column<Element>?, missing: Element, to name: String,
    in directory: inout StageDirectory
  ) throws(FileError) {
    try Column.write(values(current, earlier) { _ in missing }, to: name, in: &directory)
  }

  private func write(
    _ current: CategoryColumn, _ earlier: CategoryColumn?, to name: String,
    in directory: inout StageDirectory
  ) throws(FileError) {
    let (vocabulary, codes) = Self.joined(current.vocabulary, earlier?.vocabulary)
    let (now, before) = (current.codes.elements, earlier?.codes.elements ?? [])
    let missing = CategoryColumn.missing
    let shown = zip(rows, versions).map { row, version in
      switch version {
      case .current: now[row]
      case .earlier(let index): before[index] == missing ? missing : codes[Int(before[index])]
      case .unknown, .notYet: missing
      }
    }
    try CategoryColumn.write(shown, in: vocabulary, to: name, in: &directory)
  }

  private func write(
    _ current: TagColumn, _ earlier: TagColumn?, to name: String, in directory: inout StageDirectory
  ) throws(FileError) {
    let (vocabulary, codes) = Self.joined(current.vocabulary, earlier?.vocabulary)
    let (now, before) = (current.codes.elements, earlier?.codes.elements ?? [])
    let shown = zip(rows, versions).map { row, version -> [UInt32] in
      switch version {
      case .current: Array(now[current.range(row)])
      case .earlier(let index): before[earlier?.range(index) ?? 0..<0].map { codes[Int($0)] }
      case .unknown, .notYet: []
      }
    }
    try TagColumn.write(shown, in: vocabulary, to: name, in: &directory)
  }

  /// Returns all words of both vocabularies, and the new code of each word of the earlier versions.
  private static func joined(_ current: StringColumn, _ earlier: StringColumn?) -> (
    vocabulary: [[UInt8]], codes: [UInt32]
  ) {
    var vocabulary = current.bytes
    var codes: [UInt32] = []
    for word in earlier?.bytes ?? [] {
      codes.append(UInt32(current.row(of: word) ?? vocabulary.count))
      if codes.last == UInt32(vocabulary.count) { vocabulary.append(word) }
    }
    return (vocabulary, codes)
  }
}

extension StringColumn {
  /// All texts, in the order of rows.
  fileprivate var bytes: [[UInt8]] { (0..<count).map { Array(copying: bytes($0)) } }
}

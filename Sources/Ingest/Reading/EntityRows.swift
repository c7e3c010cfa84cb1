internal import Geohash
package import PipelineFile
internal import Readers
internal import RunSchemas
internal import Text
internal import Tombstones

/// The rows of one entity, read and checked, with one row per id. `divide` chooses the version of each id
/// once the as-of time is known.
package struct EntityRows: Sendable {
  package let entity: Pipeline.Entity
  /// The ids in byte order, each with its number in the order of first occurrence.
  private(set) var ids = RankedIdentities()
  /// The row of each id, by the number of the id.
  package private(set) var rows: [EntityRow] = []
  /// The columns of the attributes, in the order of the entity's attributes. Each column has one value per
  /// id, by the number of the id. The attributes of check-ins are missing until `take` adds them.
  package private(set) var attributes: [AttributeValues]
  /// Other versions of the same ids; empty unless the pipeline file sets `updated`.
  private(set) var others: OtherVersions
  /// The ids of the owners; `nil` if the rows have no owners.
  private let owners: RankedIdentities?
  /// The ids of owned items that are left out because their owner was erased.
  private(set) var erasedBelongings: Set<[UInt8]> = []
  var counts = IngestCounts()
  private(set) var rejects = RejectLog()
  private(set) var reading = SourceReading()

  /// Reads the files of `entity`'s source. Positions are snapped to cells of the pipeline's precision, or of
  /// the precision that the user chose. `owners` are the ids of the owners; `nil` if the entity has no
  /// owners.
  ///
  /// - Throws: `ExportError`, `DuckDBError`.
  init(
    _ entity: Pipeline.Entity, in pipeline: Pipeline, tombstones: TombstoneSet, owners: RankedIdentities?,
    by workers: Workers
  ) throws {
    self.entity = entity
    self.owners = owners
    attributes = entity.ownAttributes.map { AttributeValues($0.type) }
    others = OtherVersions(attributes)
    let needsPosition = pipeline.hasRadius(around: entity.name)
    let choice = pipeline.choosesPrecision(entity) ? pipeline.privacy.choice : nil
    let makeFields: @Sendable () -> EntityFields = {
      EntityFields(entity, needsPosition: needsPosition, owners: owners, choice: choice)
    }
    let fields = makeFields()
    let precision = pipeline.privacy.snapPrecision
    let filter = RowFilter(entity.source, in: pipeline, behind: fields.names)
    let request = filter.extending(
      ExportRequest(
        source: entity.source, directory: pipeline.directory, fields: fields.names, optional: fields.optional,
        lists: fields.lists))
    let files = try SourceReading.files(of: entity.source, in: pipeline)
    for file in files { rejects.open(file.shown) }
    var table = IdentityTable()
    var reading = SourceReading()
    try reading.read(files, request, by: workers) { block in
      // Each block gets its own copy, because threads that update the same reference counts contend for them.
      let fields = makeFields()
      var part = EntityBlock(
        fields, precision: precision, tombstones: tombstones, isFollowed: !block.isLast)
      let (summary, leftOut) = try filter.forEachRecord(
        of: block, rows: { part.add($0, by: fields) }, { part.add($0, by: fields) })
      return ((part, leftOut), summary)
    } merge: { file, read in
      let part = read.0
      counts.read += part.read
      counts.erased += part.erased
      erasedBelongings.formUnion(part.erasedBelongings)
      counts.add(read.1, of: entity.source)
      rejects.add(part.rejects, file: file)
      // A block that is the whole file gives no estimate for other files.
      if table.count == 0, part.isFollowed {
        let expected = SourceReading.rows(of: files, asIn: part.rows.count, by: workers)
        reserve(expected)
        table.reserve(expected, bytes: expected * part.bytesOfIDs / max(1, part.rows.count))
      }
      insert(part, of: file, into: &table)
    }
    // If an item of an erased person also has a row with another owner, that row is kept, and the item does
    // not count as erased.
    erasedBelongings = erasedBelongings.filter { table.number(of: $0.span) == nil }
    ids = table.ranked()
    counts.absentFields = try reading.absentFields(
      required: filter.required(fields.required, read: counts.read), of: entity.source)
    try reading.checkLastRows(rejects, of: entity.source)
    counts.unended = reading.unended
    self.reading = reading
  }

  /// Reserves memory for `count` rows, because each growth of an array would touch new memory pages.
  private mutating func reserve(_ count: Int) {
    rows.reserveCapacity(count)
    for index in attributes.indices { attributes[index].reserve(count) }
  }

  /// Adds the rows of a block. `file` is the number of its file.
  private mutating func insert(_ block: EntityBlock, of file: Int, into table: inout IdentityTable) {
    var words = block.attributes.map { WordNumbers(of: $0) }
    // Consecutive new rows are copied together, column by column.
    var fresh = 0..<0
    for index in block.rows.indices {
      block.prefetch(index + 16, in: table)
      let known = table.count
      let number = table.insert(block.id(index), block.keys[index])
      if number == known {
        fresh = fresh.lowerBound..<index + 1
        continue
      }
      append(block, fresh, of: file, &words)
      fresh = index + 1..<index + 1
      var row = block.rows[index]
      row.file = UInt32(file)
      merge(row, block.values(index), with: number, id: block.id(index))
    }
    append(block, fresh, of: file, &words)
  }

  private mutating func append(
    _ block: EntityBlock, _ range: Range<Int>, of file: Int, _ words: inout [WordNumbers]
  ) {
    for index in range {
      rows.append(block.rows[index])
      rows[rows.count - 1].file = UInt32(file)
    }
    for attribute in attributes.indices {
      attributes[attribute].append(block.attributes[attribute], range, &words[attribute])
    }
  }

  /// Keeps the newer of two rows with the same id. `updated` decides, and a missing time counts as the
  /// oldest. If the times are equal, the row that was read last is kept.
  private mutating func merge(_ row: EntityRow, _ values: [AttributeValue], with number: Int, id: Span<UInt8>)
  {
    let wins = row.version >= rows[number].version
    let loser = wins ? rows[number] : row
    if entity.updated == nil {
      addMerged(loser, Array(copying: id))
    } else {
      others.append(loser, of: number, wins ? self.values(number) : values)
    }
    if wins {
      rows[number] = row
      set(values, of: number)
    }
  }

  private mutating func addMerged(_ row: EntityRow, _ id: [UInt8]) {
    rejects.add(
      RowRejected(rule: .duplicateID, field: entity.id, value: String(decoding: id, as: UTF8.self)),
      file: Int(row.file), number: row.number, unit: row.unit)
  }

  /// Releases the rows once they are written. The ids, the counts and the rejects stay.
  mutating func releaseRows() {
    rows = []
    attributes = []
    others = OtherVersions([])
  }

  /// The rank of each id's owner, by the rank of the id; `EntityTable.noOwner` if there is none.
  var ownersByRank: [UInt32] { ids.numbers.map { rows[Int($0)].owner } }

  private func values(_ row: Int) -> [AttributeValue] { attributes.map { $0[row] } }

  private mutating func set(_ values: [AttributeValue], of row: Int) {
    for index in attributes.indices { attributes[index].set(values[index], of: row) }
  }
}

extension EntityRows {
  /// Chooses the version of each id that is in force at `asOf`, and counts all rows by outcome. Call this
  /// method once.
  ///
  /// The newest version up to `asOf` is in force. Versions after `asOf` then count as later, and all others
  /// count as merged. If all versions are after `asOf`, the newest version is in force, because no better
  /// version exists, and all others count as merged.
  ///
  /// - Parameters:
  ///   - asOf: The as-of time.
  ///   - owners: The kept owners; `nil` if the entity has no owners.
  /// - Returns: Whether each id is kept, by the number of the id. An id is not kept if its row was created
  ///   after `asOf`, if its required owner is not kept, or if its row has a forbidden future date.
  mutating func divide(at asOf: Instant, owners: KeptEntities?) -> [Bool] {
    let asOf = asOf.milliseconds
    let inForce = others.inForce(at: asOf, where: { rows[$0].changed > asOf })
    for (number, index) in inForce.sorted(by: { $0.key < $1.key }) {
      let (row, values) = (rows[number], values(number))
      rows[number] = others.rows[index]
      set(others.values(index), of: number)
      others.replace(at: index, with: row, values)
    }
    var later = RowsByAccount()
    // Without owners and versions, each account has only one row.
    let hasRepeats = self.owners != nil || !others.rows.isEmpty
    for (row, number) in zip(others.rows, others.numbers) {
      if row.changed > asOf && rows[Int(number)].changed <= asOf {
        counts.later += 1
        later.add(account(of: row, Int(number)))
      } else {
        addMerged(row, ids.id(number: Int(number)))
      }
    }
    let needsOwner = !(entity.owner?.isOptional ?? true)
    var isKept = rows.map { row in
      (row.created ?? .min) <= asOf
        && (!needsOwner || owners?.rowOfRank[Int(row.owner)] != KeptEntities.noRow)
    }
    for number in rows.indices where !isKept[number] {
      counts.later += 1
      if hasRepeats { later.add(account(of: rows[number], number)) }
    }
    rejectFutureDates(at: asOf, &isKept)
    var updatedLater = 0
    for number in rows.indices where isKept[number] && rows[number].changed > asOf {
      updatedLater += 1
      if hasRepeats { later.add(account(of: rows[number], number)) }
    }
    counts.laterOfFewAccounts = later.beyondFirst
    counts.kept = isKept.count { $0 }
    let newest = newest(isKept, asOf: asOf)
    counts.take(newest.users)
    counts.newest = newest.newest
    counts.rules = rejects.counts
    counts.written = rejects.countsWritten
    if counts.rules[.implausibleTime] != nil {
      if let field = entity.created { counts.missingTimes[field.from] = rows.count { $0.created == nil } }
      if let field = entity.updated { counts.missingTimes[field.from] = rows.count { $0.updated == nil } }
    }
    if entity.updated != nil { counts.updatedLater = updatedLater }
    return isKept
  }
}

extension EntityRows {
  /// Returns the times at which the newest kept rows were created or changed. In `users`, a row counts for
  /// its owner; a row without an owner counts for itself. `users` omits changes after `asOf`, because the
  /// next run is compared with these times. `newest` includes changes after `asOf`.
  private func newest(_ isKept: [Bool], asOf: Int64) -> (newest: Int64?, users: NewestUsers) {
    var newest = Int64.min
    var users = NewestUsers()
    for number in rows.indices where isKept[number] {
      let row = rows[number]
      let user = row.owner == EntityTable.noOwner ? UInt64(number) : UInt64(row.owner) | 1 << 32
      for time in [row.created ?? .min, row.changed] {
        newest = max(newest, time)
        if time <= asOf { users.add(user, at: time) }
      }
    }
    return (newest == .min ? nil : newest, users)
  }

  /// Rejects kept rows that have a forbidden date after `asOf`. This check must wait until the as-of time is
  /// known.
  private mutating func rejectFutureDates(at asOf: Int64, _ isKept: inout [Bool]) {
    for (attribute, values) in zip(entity.ownAttributes, attributes) where attribute.isNotInFuture {
      for (number, date) in values.instants.enumerated() where date > asOf && isKept[number] {
        isKept[number] = false
        let row = rows[number]
        rejects.add(
          RowRejected(
            rule: .dateInFuture, field: attribute.from,
            value: Instant(milliseconds: date).description, account: account(of: row, number)),
          file: Int(row.file), number: row.number, unit: row.unit)
      }
    }
  }

  /// Returns the account that wrote a version of the row with this number: its owner, or the row's own id if it
  /// has no owner. See `RowRejected.account`.
  private func account(of row: EntityRow, _ number: Int) -> UInt64 {
    guard let owners, row.owner != EntityTable.noOwner else {
      return RowsByAccount.account(ids.id(number: number).span)
    }
    let bytes = owners.bytes
    return RowsByAccount.account(bytes.span.extracting(owners.range(Int(row.owner))))
  }

  /// Applies the check-ins in force at `asOf` as if their values were in the rows of the entity. If the
  /// check-ins could not be read, no row has a position. Call this method once, after `divide`.
  mutating func take(_ checkIns: CheckInRows?, at asOf: Instant) {
    guard let kind = entity.checkIns else { return }
    var moved = kind.attributes.map { AttributeValues($0.type) }
    var words = checkIns?.columns.attributes.map { WordNumbers(of: $0) } ?? []
    for number in rows.indices {
      guard let checkIns, let place = checkIns.inForce(ids.ranks[number], at: asOf) else {
        for index in moved.indices { moved[index].appendMissing() }
        continue
      }
      rows[number].position = checkIns.columns.rows[place].position
      for index in moved.indices {
        moved[index].append(checkIns.columns.attributes[index], place..<place + 1, &words[index])
      }
    }
    attributes = entity.inOrder(attributes, moved)
    others.addMissing(kind.attributes.map(\.type), of: entity)
  }
}

extension Pipeline {
  /// Returns whether a ranking with a radius has `entity` as users or candidates.
  fileprivate func hasRadius(around entity: String) -> Bool {
    rankings.contains { $0.radiusInKilometers != nil && [$0.users, $0.candidates].contains(entity) }
  }
}

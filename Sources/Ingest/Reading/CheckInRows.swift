package import PipelineFile
internal import Readers
internal import Text
internal import Tombstones

/// The check-ins of one kind, read and checked. Only the newest check-in of each user is kept.
///
/// Older check-ins are dropped during reading, so memory grows only with the number of users. The as-of time
/// is determined later, but it is never before a check-in up to `limit`. Therefore, only the newest check-in
/// can be in force.
package struct CheckInRows: Sendable {
  package let checkIns: Pipeline.CheckIns
  /// The newest check-in of each user, and replaced check-ins that have not been removed yet.
  package private(set) var columns: CheckInColumns
  /// The index in `columns` of each user's newest check-in, by the rank of the user; `nowhere` if there is
  /// none.
  private var places: [UInt32]
  /// The number of check-ins up to `limit`, by the rank of the user.
  private var seen: [UInt32]
  private var positioned = 0
  /// The number of later check-ins, by the rank of the user.
  private var later = RowsByAccount()
  /// The time of the newest check-in up to `limit`, in milliseconds since 1970 UTC; `nil` if there is none.
  var newest: Int64? { newestUsers.newest }
  private var newestUsers = NewestUsers()
  var counts = IngestCounts()
  private(set) var rejects = RejectLog()
  private(set) var reading = SourceReading()
  /// The latest possible as-of time, in milliseconds since 1970 UTC. Check-ins after this time are left out.
  private let limit: Int64

  private static let nowhere = UInt32.max

  /// Reads the files of the source.
  ///
  /// - Parameters:
  ///   - checkIns: The source.
  ///   - pipeline: The effective pipeline file.
  ///   - users: The ids of the users.
  ///   - limit: The as-of time if it was given, otherwise the machine's clock.
  ///   - tombstones: The erased people. Their rows are left out and counted as erased.
  ///   - workers: The threads and block sizes.
  /// - Throws: `ExportError`, `DuckDBError`.
  init(
    _ checkIns: Pipeline.CheckIns, in pipeline: Pipeline, users: RankedIdentities, limit: Instant,
    tombstones: TombstoneSet, by workers: Workers
  ) throws {
    self.checkIns = checkIns
    self.limit = limit.milliseconds
    columns = CheckInColumns(checkIns)
    places = Array(repeating: Self.nowhere, count: users.count)
    seen = Array(repeating: 0, count: users.count)
    let fields = CheckInFields(checkIns, users: users, precision: pipeline.privacy.snapPrecision)
    let filter = RowFilter(checkIns.source, in: pipeline, behind: fields.names)
    let request = filter.extending(
      ExportRequest(
        source: checkIns.source, directory: pipeline.directory, fields: fields.names,
        optional: fields.optional, lists: fields.lists))
    let files = try SourceReading.files(of: checkIns.source, in: pipeline)
    for file in files { rejects.open(file.shown) }
    var reading = SourceReading()
    try reading.read(files, request, by: workers) { block in
      var part = CheckInBlock(checkIns, tombstones: tombstones)
      let (summary, leftOut) = try filter.forEachRecord(of: block) { part.add($0, by: fields) }
      return ((part, leftOut), summary)
    } merge: { file, read in
      let part = read.0
      counts.read += part.read
      counts.erased += part.erased
      counts.add(read.1, of: checkIns.source)
      rejects.add(part.rejects, file: file)
      insert(part.columns)
    }
    counts.absentFields = try reading.absentFields(
      required: filter.required(fields.required, read: counts.read), of: checkIns.source)
    try reading.checkLastRows(rejects, of: checkIns.source)
    counts.unended = reading.unended
    counts.take(newestUsers)
    self.reading = reading
    counts.rules = rejects.counts
    counts.written = rejects.countsWritten
  }

  /// Adds each row of a block that is the newest row of its user so far.
  private mutating func insert(_ block: CheckInColumns) {
    var words = block.words
    for index in block.rows.indices {
      let row = block.rows[index]
      guard row.at <= limit else {
        counts.later += 1
        later.add(UInt64(row.user))
        continue
      }
      newestUsers.add(UInt64(row.user), at: row.at)
      let user = Int(row.user)
      seen[user] += 1
      if places[user] == Self.nowhere {
        positioned += 1
      } else if !block.isNewer(index, than: columns, Int(places[user])) {
        continue
      }
      places[user] = UInt32(columns.rows.count)
      columns.append(block, index, &words)
    }
    // If check-ins are in time order, almost every row replaces an earlier one. Replaced rows are removed
    // once they clearly outnumber the current ones.
    if columns.rows.count > 2 * positioned + 1 << 16 { forgetReplaced() }
  }

  private mutating func forgetReplaced() {
    var words = columns.words
    var kept = CheckInColumns(checkIns)
    for user in places.indices where places[user] != Self.nowhere {
      kept.append(columns, Int(places[user]), &words)
      places[user] = UInt32(kept.rows.count - 1)
    }
    columns = kept
  }
}

extension CheckInRows {
  /// Returns the index in `columns` of the user's check-in that is in force at `asOf`; `nil` if there is
  /// none.
  func inForce(_ user: UInt32, at asOf: Instant) -> Int? {
    let place = places[Int(user)]
    guard place != Self.nowhere else { return nil }
    return isExpired(Int(place), at: asOf) ? nil : Int(place)
  }

  private func isExpired(_ place: Int, at asOf: Instant) -> Bool {
    checkIns.expiresAfter.map { asOf.milliseconds - columns.rows[place].at > $0 } ?? false
  }

  /// Returns the indices in `columns` of the newest check-in of each kept user.
  func keptIndices(_ users: KeptEntities) -> [Int] {
    places.indices.filter { places[$0] != Self.nowhere && users.rowOfRank[$0] != KeptEntities.noRow }
      .map { Int(places[$0]) }
  }

  /// Counts all rows by outcome. Call this method once.
  ///
  /// The newest check-in of each kept user counts as kept, even if it is too old to be in force. The user's
  /// older check-ins count as merged. The check-ins of other users count as later.
  mutating func divide(_ users: KeptEntities, at asOf: Instant) {
    for (user, count) in seen.enumerated() where count > 0 {
      if users.rowOfRank[user] == KeptEntities.noRow {
        counts.later += Int(count)
        later.add(UInt64(user), Int(count))
      } else {
        counts.kept += 1
        counts.replaced += Int(count) - 1
      }
    }
    counts.laterOfFewAccounts = later.beyondFirst
    counts.expired = keptIndices(users).count { isExpired($0, at: asOf) }
  }
}

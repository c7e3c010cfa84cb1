package import PipelineFile
internal import Readers
internal import RunSchemas
internal import Text
internal import Tombstones

/// The requests of one kind, read and checked, with the ranks of both ids.
package struct RequestRows: Sendable {
  package let requests: Pipeline.Requests
  /// The requests in file order. After `divide`, the array contains only the kept requests, as they were at
  /// the as-of time.
  package private(set) var rows: [RequestRow] = []
  var counts = IngestCounts()
  private(set) var rejects = RejectLog()
  private(set) var reading = SourceReading()

  /// Reads the files of the source.
  ///
  /// - Parameters:
  ///   - requests: The kind of requests.
  ///   - pipeline: The effective pipeline file.
  ///   - entities: The entities that were read.
  ///   - tombstones: The erased people. Requests by or to these people are left out and counted as erased.
  ///   - workers: The threads and block sizes.
  /// - Throws: `ExportError`, `DuckDBError`.
  init(
    _ requests: Pipeline.Requests, in pipeline: Pipeline, entities: [String: EntityRows],
    tombstones: TombstoneSet, by workers: Workers
  ) throws {
    guard let users = entities[requests.user.entity], let candidates = entities[requests.candidate.entity]
    else { preconditionFailure("'\(requests.name)' refers to an entity that was not read") }
    self.requests = requests
    let parser = RequestParser(requests, users: users.ids, candidates: candidates)
    let filter = RowFilter(requests.source, in: pipeline, behind: parser.names)
    let request = filter.extending(
      ExportRequest(
        source: requests.source, directory: pipeline.directory, fields: parser.names))
    let files = try SourceReading.files(of: requests.source, in: pipeline)
    for file in files { rejects.open(file.shown) }
    var reading = SourceReading()
    try reading.read(files, request, by: workers) { block in
      var part = RequestBlock(requests, tombstones: tombstones)
      let (summary, leftOut) = try filter.forEachRecord(of: block) { part.add($0, by: parser) }
      return ((part, leftOut), summary)
    } merge: { file, part in
      counts.read += part.0.read
      counts.erased += part.0.erased
      counts.add(part.1, of: requests.source)
      rejects.add(part.0.rejects, file: file)
      for var row in part.0.rows {
        row.place.file = file
        rows.append(row)
      }
    }
    counts.absentFields = try reading.absentFields(
      required: filter.required(parser.required, read: counts.read), of: requests.source)
    try reading.checkLastRows(rejects, of: requests.source)
    counts.unended = reading.unended
    self.reading = reading
  }

  /// Returns the newest time of a request or an answer up to `limit`, both in milliseconds since 1970 UTC;
  /// `nil` if there is none.
  func newest(until limit: Int64) -> Int64? {
    rows.lazy.flatMap { [$0.at, $0.changed] }.filter { $0 <= limit && $0 != .min }.max()
  }

  /// Keeps the requests up to the as-of time if their user and candidate are kept and the user is old enough.
  /// Counts all requests by outcome. Call this method once.
  ///
  /// - Parameters:
  ///   - kept: The kept users and candidates.
  ///   - users: The users who make requests, in their versions at the as-of time.
  mutating func divide(_ kept: KeptInteractions, users: EntityRows) {
    var keptRows: [RequestRow] = []
    let isOneKind = requests.user.entity == requests.candidate.entity
    var later = RowsByAccount()
    let born = requests.born.flatMap { name in
      users.entity.attributes.firstIndex { $0.name == name }.map { users.attributes[$0].instants }
    }
    for row in rows {
      guard row.at <= kept.asOf.milliseconds,
        kept.users.rowOfRank[Int(row.user)] != KeptEntities.noRow,
        kept.candidates.rowOfRank[Int(row.candidate)] != KeptEntities.noRow
      else {
        counts.later += 1
        let account = kept.account(user: row.user, candidate: row.candidate, isOneKind: isOneKind)
        later.add(UInt64(account))
        continue
      }
      let number = users.ids.numbers[Int(row.user)]
      if let born, let rule = rule(of: row, born: born[Int(number)]) {
        let id = String(decoding: users.ids.id(number: Int(number)), as: UTF8.self)
        rejects.add(
          RowRejected(rule: rule, field: requests.user.from, value: id), file: row.place.file,
          number: row.place.number, unit: row.place.unit)
        continue
      }
      keptRows.append(row.seen(at: kept.asOf))
    }
    counts.kept = keptRows.count
    counts.laterOfFewAccounts = later.beyondFirst
    var newest = NewestUsers()
    for row in rows {
      for time in [row.at, row.changed] where time <= kept.asOf.milliseconds {
        newest.add(UInt64(row.user), at: time)
      }
    }
    counts.take(newest)
    counts.rules = rejects.counts
    if counts.rules[.implausibleTime] != nil {
      counts.missingTimes[requests.changed.from] = rows.count { $0.changed == .min }
    }
    rows = keptRows
    counts.written = rejects.countsWritten
  }

  /// Returns the rule about ages that a request breaks; `nil` if there is none. `born` is the user's birth
  /// date in milliseconds since 1970 UTC, or `Int64.min` if it is missing.
  private func rule(of row: RequestRow, born: Int64) -> IngestRule? {
    guard born != .min, let age = Instant(milliseconds: born).age(at: Instant(milliseconds: row.at)) else {
      return .ageUnknown
    }
    return age < requests.minimumAge ? .underAge : nil
  }

  /// The rows in the order of the snapshot's table: by user, candidate, time of the request and time of the
  /// answer.
  var inOrder: [RequestRow] {
    rows.enumerated().sorted { left, right in
      (left.element.user, left.element.candidate, left.element.asked, left.element.answered, left.offset)
        < (
          right.element.user, right.element.candidate, right.element.asked, right.element.answered,
          right.offset
        )
    }.map(\.element)
  }
}

internal import PipelineFile
internal import Readers
internal import RunSchemas
internal import Tombstones

/// The interactions of one block of an export. Only one thread reads the block.
///
/// The ids of many rows are looked up together, so that the memory accesses of the lookups overlap.
struct InteractionBlock {
  /// A row whose ids have not been looked up yet.
  private struct Pending {
    var user: IdentityKey
    var candidate: IdentityKey
    /// The places where the searches for both ids start.
    var userPlace: Int
    var candidatePlace: Int
    /// The starts of the ids in `texts`, for ids that are longer than a key's word.
    var userText: UInt32 = 0
    var candidateText: UInt32 = 0
    var at = Moment(milliseconds: 0)
    var code: UInt8 = 0
    var value: Double = 0
    /// Whether `faults` contains a fault of another field of the row.
    var isFaulty = false
    var number: Int
    var unit: PlaceUnit
  }

  /// The places where the searches for both ids of a row start.
  private struct Pair: BitwiseCopyable {
    var user: Int
    var candidate: Int
  }

  private let users: RankedIdentities
  private let candidates: RankedIdentities
  private let searchUser: RankedIdentities.Search
  private let searchCandidate: RankedIdentities.Search
  private let keepsPlaces: Bool
  private var instants = InstantCache()
  private var pending: [Pending] = []
  /// One pair for each row that is read column by column.
  private var pairs: [Pair] = []
  private var room: RecordRoom
  private var texts: [UInt8] = []
  private var faults: [Int: RowRejected] = [:]
  private static let together = 64

  private var erasedUsers: ErasedIdentities?
  private var erasedCandidates: ErasedIdentities?
  private var hidesValues: Bool { erasedUsers != nil }

  private var read = 0
  private var ignored = 0
  private var erased = 0
  private var rows: InteractionPartBuilder
  private var places: [(unit: PlaceUnit, number: Int)] = []
  private var rejects = RejectLog()
  private let file: Int

  /// Creates an empty block. `candidates` are the known ids for the candidate's field. With `keepsItems`, the
  /// block also stores, for each row, the rank of the id in this field.
  init(
    _ parser: InteractionParser, users: RankedIdentities, candidates: RankedIdentities, buckets: KeyBuckets,
    keepsPlaces: Bool, keepsItems: Bool, tombstones: TombstoneSet, spares: SpareArrays<ReadInteraction>
  ) {
    erasedUsers = ErasedIdentities(tombstones, of: parser.userEntity)
    erasedCandidates = ErasedIdentities(tombstones, of: parser.candidateEntity)
    self.users = users
    self.candidates = candidates
    searchUser = users.search
    searchCandidate = candidates.search
    self.keepsPlaces = keepsPlaces
    file = rejects.open("")
    pending.reserveCapacity(Self.together)
    room = RecordRoom(fields: parser.names.count)
    rows = InteractionPartBuilder(
      buckets, isCoded: parser.isCoded, keepsOrder: keepsPlaces || keepsItems, keepsItems: keepsItems,
      spares: spares)
  }

  /// Adds rows column by column. Unusual rows, such as rows with a fault, are added as single records.
  mutating func add(_ rows: borrowing OrdinaryRows, by parser: InteractionParser) {
    var room = RecordRoom(fields: 0)
    swap(&room, &self.room)
    defer { swap(&room, &self.room) }
    guard let columns = parser.columns(of: rows) else {
      rows.forEachRecord(in: &room) { add($0, by: parser) }
      return
    }
    settle(parser)
    // The array is moved to a local variable and back, so that it keeps its reserved memory.
    var pairs: [Pair] = []
    swap(&pairs, &self.pairs)
    pairs.removeAll(keepingCapacity: true)
    let (searchUser, searchCandidate) = (searchUser, searchCandidate)
    // Each search has to wait for memory, so all searches start before the first one continues.
    pairs.append(addingCapacity: rows.count) { pairs in
      for row in 0..<rows.count {
        pairs.append(
          Pair(
            user: searchUser(columns.user.range(row), in: rows.bytes),
            candidate: searchCandidate(columns.candidate.range(row), in: rows.bytes)))
      }
    }
    var row = 0
    while row < rows.count {
      row = addOrdinary(rows, from: row, columns, pairs)
      guard row < rows.count else { break }
      rows.withRecord(row, in: &room) { add($0, by: parser) }
      settle(parser)
      row += 1
    }
    swap(&pairs, &self.pairs)
  }

  /// Adds rows from `first` up to the first unusual row.
  ///
  /// - Returns: The index of the first unusual row; the number of rows if no row is unusual.
  private mutating func addOrdinary(
    _ rows: borrowing OrdinaryRows, from first: Int, _ columns: borrowing InteractionFields,
    _ pairs: [Pair]
  ) -> Int {
    var row = first
    // Local copies are used, because properties cannot be read while the rows are being modified.
    var instants = instants
    var ignored = 0
    var places: [(unit: PlaceUnit, number: Int)] = []
    var values: [Double] = []
    let keepsValues = !self.rows.isCoded
    let (users, candidates) = (users, candidates)
    users.withTable { userTable in
      candidates.withTable { candidateTable in
        self.rows.append(upTo: rows.count - first) { written in
          while row < rows.count {
            guard let word = columns.words.word(columns.value.range(row), in: rows.bytes) else { break }
            if word.isIgnored {
              ignored += 1
              row += 1
              continue
            }
            let pair = pairs[row]
            let user = users.rank(
              at: columns.user.range(row), of: rows, from: pair.user, in: userTable)
            let item = candidates.rank(
              at: columns.candidate.range(row), of: rows, from: pair.candidate, in: candidateTable)
            let candidate = columns.candidate(of: item)
            guard user != IdentitySlots.empty, candidate != IdentitySlots.empty,
              !columns.isOneKind || user != candidate
            else { break }
            let text = rows.text.extracting(columns.at.range(row))
            guard
              let at = instants.onSameDay(text).map({ Moment(milliseconds: $0) })
                ?? instants.moment(text, unit: columns.unit),
              columns.plausible.contains(at.milliseconds)
            else { break }
            written.append(
              ReadInteraction(at: at, user: user, candidate: candidate, item: item, code: word.code))
            if keepsValues { values.append(word.value) }
            if keepsPlaces { places.append((rows.unit, rows.number(of: row))) }
            row += 1
          }
        }
      }
    }
    self.instants = instants
    self.ignored += ignored
    read += row - first
    self.places += places
    self.rows.append(values: values)
    return row
  }

  /// Adds a record. The caller passes `parser`, because reading it from a property would update a reference
  /// count.
  @inline(__always)
  mutating func add(_ record: borrowing Record, by parser: InteractionParser) {
    read += 1
    do throws(RowRejected) {
      if let fault = record.fault { throw RowRejected(fault).withoutValue(where: hidesValues) }
      if parser.ignoresRows, parser.ignores(record) {
        ignored += 1
        return
      }
      let start = UInt32(truncatingIfNeeded: texts.count)
      let user = try parser.user(record) { key(of: $0) }
      let middle = UInt32(truncatingIfNeeded: texts.count)
      let candidate = try parser.candidate(record) { key(of: $0) }
      var row = Pending(
        user: user, candidate: candidate, userPlace: searchUser(user),
        candidatePlace: searchCandidate(candidate), userText: start, candidateText: middle,
        number: record.number, unit: record.unit)
      do throws(RowRejected) {
        row.at = try parser.at(record, &instants)
        (row.code, row.value) = try parser.value(record)
      } catch {
        // The fault of another field is reported only if both ids are known.
        row.isFaulty = true
        faults[pending.count] = error
      }
      wait(row, parser)
    } catch {
      if hidesValues, record.fault == nil, isErased(record, by: parser) {
        erased += 1
      } else {
        let rejected = error.withoutValue(where: hidesValues).by(parser.account(of: record))
        reject(rejected, number: record.number, unit: record.unit)
      }
    }
  }

  @inline(__always)
  private mutating func wait(_ row: Pending, _ parser: InteractionParser) {
    pending.append(row)
    if pending.count == Self.together { settle(parser) }
  }

  /// Returns whether a record with an invalid id also contains the id of an erased person.
  private mutating func isErased(_ record: borrowing Record, by parser: InteractionParser) -> Bool {
    // An invalid id does not count as erased.
    if (try? parser.withUser(record) { erasedUsers?.contain($0) }) == true { return true }
    return (try? parser.withCandidate(record) { erasedCandidates?.contain($0) }) == true
  }

  private mutating func key(of id: Span<UInt8>) -> IdentityKey {
    if id.count > IdentityKey.wholeLength {
      unsafe id.withUnsafeBufferPointer { unsafe texts.append(contentsOf: $0) }
    }
    return IdentityKey(id)
  }

  private mutating func reject(_ rejected: RowRejected, number: Int, unit: PlaceUnit) {
    rejects.add(rejected, file: file, number: number, unit: unit)
  }

  /// Looks up the ids of the pending rows, and returns the results of the block.
  mutating func finish(by parser: InteractionParser) -> Finished {
    settle(parser)
    return Finished(
      read: read, ignored: ignored, erased: erased, rows: rows.finish(), places: places, rejects: rejects)
  }

  /// The results of a block.
  struct Finished: Sendable {
    /// The number of records.
    var read: Int
    /// The number of records that the pipeline file ignores.
    var ignored: Int
    /// The number of records that refer to an erased person. `read` also counts these records, but no other
    /// property includes them.
    var erased: Int
    var rows: InteractionPart
    /// The place of each row in its file; empty unless an expectation needs places.
    var places: [(unit: PlaceUnit, number: Int)]
    var rejects: RejectLog
  }

  /// Looks up the ids of the pending rows.
  private mutating func settle(_ parser: InteractionParser) {
    if pending.isEmpty { return }
    let (users, candidates) = (users, candidates)
    // The arrays are moved to local variables and back, so that they keep their reserved memory.
    var pending: [Pending] = []
    var texts: [UInt8] = []
    swap(&pending, &self.pending)
    swap(&texts, &self.texts)
    users.withTable { userTable in
      candidates.withTable { candidateTable in
        for index in pending.indices {
          let row = pending[index]
          let user = users.rank(
            of: row.user, from: row.userPlace, in: userTable, Int(row.userText), of: texts.span)
          let item = candidates.rank(
            of: row.candidate, from: row.candidatePlace, in: candidateTable, Int(row.candidateText),
            of: texts.span)
          let candidate = parser.candidate(of: item)
          if hidesValues, isErased(row, user, candidate, texts) {
            erased += 1
          } else if let rejected = rejected(row, index, user, candidate, texts, by: parser) {
            let account = RowsByAccount.account(bytes(row.user, row.userText, texts).span)
            reject(rejected.by(account), number: row.number, unit: row.unit)
          } else {
            rows.append(
              ReadInteraction(at: row.at, user: user, candidate: candidate, item: item, code: row.code),
              value: row.value)
            if keepsPlaces { places.append((row.unit, row.number)) }
          }
        }
      }
    }
    pending.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
    swap(&pending, &self.pending)
    swap(&texts, &self.texts)
    if !faults.isEmpty { faults = [:] }
  }

  /// Returns whether a row refers to an erased person. An id that was found in the export of its entity is
  /// not erased.
  private mutating func isErased(_ row: Pending, _ user: UInt32, _ candidate: UInt32, _ texts: [UInt8])
    -> Bool
  {
    if user == IdentitySlots.empty {
      let id = bytes(row.user, row.userText, texts)
      if erasedUsers?.contain(id.span) == true { return true }
    }
    guard candidate == IdentitySlots.empty else { return false }
    let id = bytes(row.candidate, row.candidateText, texts)
    return erasedCandidates?.contain(id.span) == true
  }

  @inline(__always)
  private func rejected(
    _ row: Pending, _ index: Int, _ user: UInt32, _ candidate: UInt32, _ texts: [UInt8],
    by parser: InteractionParser
  ) -> RowRejected? {
    if user == IdentitySlots.empty {
      return parser.rejected(.unknownUser, bytes(row.user, row.userText, texts))
    }
    if candidate == IdentitySlots.empty {
      return parser.rejected(.unknownCandidate, bytes(row.candidate, row.candidateText, texts))
    }
    if parser.isOneKind && user == candidate {
      return parser.rejected(.selfInteraction, bytes(row.candidate, row.candidateText, texts))
    }
    return row.isFaulty ? faults[index] : nil
  }

  private func bytes(_ key: IdentityKey, _ start: UInt32, _ texts: [UInt8]) -> [UInt8] {
    key.bytes ?? Array(texts[Int(start)..<Int(start) + Int(key.length)])
  }
}

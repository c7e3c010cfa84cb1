internal import PipelineFile
internal import Readers
internal import Text
internal import Tombstones

/// The rows of one block of an export of entities, as one thread has read them: whoever merges the blocks finds out which
/// ids are new.
struct EntityBlock: Sendable {
  private let precision: Int
  /// Whether other blocks of the file follow.
  let isFollowed: Bool
  /// How many records there were.
  private(set) var read = 0
  /// The ids of `rows`, one behind the other, where each ends, and their keys.
  private var bytes: [UInt8] = []
  private var erasedIdentities: ErasedIdentities?
  private var erasedOwners: ErasedIdentities?
  /// How many of the records are of somebody who was erased, or belong to them, and are in nothing else here.
  private(set) var erased = 0
  /// The ids of those records among them that belong to somebody who was erased.
  private(set) var erasedBelongings: Set<[UInt8]> = []
  private var ends: [Int] = [0]
  private(set) var keys: [IdentityKey] = []
  /// What could be read, in the order of the records.
  private(set) var rows: [EntityRow] = []
  /// By index of the row.
  private(set) var attributes: [AttributeValues]
  private(set) var rejects = RejectLog()
  private let file: Int
  /// How often rows were taken back that had been read a column at a time: of an export with many rejects nearly all would be
  /// read twice.
  private var takenBack = 0
  private static let mostTakenBack = 4

  init(_ fields: EntityFields, precision: Int, tombstones: TombstoneSet, isFollowed: Bool) {
    self.isFollowed = isFollowed
    erasedIdentities = ErasedIdentities(tombstones, of: fields.entity.name)
    erasedOwners = fields.entity.owner.flatMap { ErasedIdentities(tombstones, of: $0.entity) }
    self.precision = precision
    attributes = fields.entity.ownAttributes.map { AttributeValues($0.type) }
    file = rejects.open("")
  }

  /// Adds rows a column at a time. Where something is wrong with one of them, or they have to be looked at one by one, all go
  /// the way of single records.
  mutating func add(_ rows: borrowing OrdinaryRows, by fields: EntityFields) {
    if erasedIdentities == nil, fields.readsColumns, takenBack < Self.mostTakenBack {
      let known = self.rows.count
      do throws(RowRejected) {
        try fields.readColumns(of: rows, precision: precision, into: &self.rows, &attributes) { id in
          unsafe id.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
          keys.append(IdentityKey(id))
          ends.append(bytes.count)
        }
        read += rows.count
        return
      } catch {
        // Told again below, with the row's number.
        takeBack(to: known)
        takenBack += 1
      }
    }
    var room = RecordRoom(fields: fields.names.count)
    rows.forEachRecord(in: &room) { add($0, by: fields) }
  }

  /// Adds a record, which `fields` takes apart: handed over for each, as taking it from here would count a reference.
  mutating func add(_ record: borrowing Record, by fields: EntityFields) {
    read += 1
    do throws(RowRejected) {
      if let fault = record.fault { throw RowRejected(fault).withoutValue(where: erasedIdentities != nil) }
      if try isErased(record, by: fields) {
        erased += 1
        return
      }
      let row = try fields.read(record, precision: precision, into: &attributes) { id in
        unsafe id.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        keys.append(IdentityKey(id))
      }
      rows.append(row)
      ends.append(bytes.count)
    } catch {
      rejects.add(
        error.withoutID(where: erasedIdentities != nil), file: file, number: record.number, unit: record.unit)
      // What is known of the row already.
      takeBack(to: rows.count)
    }
  }

  /// Forgets what was taken over behind the first `count` rows.
  private mutating func takeBack(to count: Int) {
    rows.removeLast(rows.count - count)
    bytes.removeLast(bytes.count - ends[count])
    ends.removeLast(ends.count - 1 - count)
    keys.removeLast(keys.count - count)
    for index in attributes.indices { attributes[index].truncate(to: count) }
  }

  /// Whether the record is of somebody who was erased, or of what belongs to them; found out before anything else of it is
  /// looked at.
  private mutating func isErased(_ record: borrowing Record, by fields: EntityFields) throws(RowRejected)
    -> Bool
  {
    guard erasedIdentities != nil else { return false }
    let isOwned = fields.withOwner(of: record) { erasedOwners?.contain($0) } == true
    do throws(RowRejected) {
      return try fields.withID(of: record) { id in
        if erasedIdentities?.contain(id) == true { return true }
        if isOwned { erasedBelongings.insert(Array(copying: id)) }
        return isOwned
      }
    } catch {
      if isOwned { return true }
      throw error
    }
  }

  /// How long all ids are together.
  var bytesOfIDs: Int { bytes.count }

  /// The id of the row at `index`.
  @_lifetime(borrow self)
  func id(_ index: Int) -> Span<UInt8> { bytes.span.extracting(ends[index]..<ends[index + 1]) }

  /// Fetches what the id at `index`, if there is one, will be looked up in.
  @inline(__always)
  func prefetch(_ index: Int, in table: IdentityTable) {
    if index < keys.count { table.prefetch(keys[index]) }
  }

  /// The values of the row at `index`.
  func values(_ index: Int) -> [AttributeValue] { attributes.map { $0[index] } }
}

internal import PipelineFile
internal import Readers
internal import Text
internal import Tombstones

/// The rows of one block of an export. One thread reads the block, and the merging thread then determines
/// which ids are new.
struct EntityBlock: Sendable {
  private let precision: Int
  /// Whether more blocks of the file follow.
  let isFollowed: Bool
  /// The number of records.
  private(set) var read = 0
  /// The ids of `rows`, concatenated. `ends` contains the end of each id, after a leading 0, and `keys`
  /// contains the lookup key of each id.
  private var bytes: [UInt8] = []
  private var erasedIdentities: ErasedIdentities?
  private var erasedOwners: ErasedIdentities?
  /// The number of records of erased people or of items that they own. These records are not in `rows`.
  private(set) var erased = 0
  /// The ids of owned items among the erased records.
  private(set) var erasedBelongings: Set<[UInt8]> = []
  private var ends: [Int] = [0]
  private(set) var keys: [IdentityKey] = []
  /// The valid rows, in the order of the records.
  private(set) var rows: [EntityRow] = []
  /// The values of each attribute, by index of the row.
  private(set) var attributes: [AttributeValues]
  private(set) var rejects = RejectLog()
  private let file: Int
  /// The number of column-wise reads that failed, so that their rows had to be read again. The limit
  /// `mostTakenBack` ensures that an export with many rejects is not read twice.
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

  /// Adds rows column by column if possible. Otherwise, the rows are added as single records:
  ///
  /// - if one of them has a fault
  /// - if several earlier batches had faults
  /// - if dates must be compared
  /// - if erased people must be excluded
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
        // Reading the records one by one below reports the fault with its row number.
        takeBack(to: known)
        takenBack += 1
      }
    }
    var room = RecordRoom(fields: fields.names.count)
    rows.forEachRecord(in: &room) { add($0, by: fields) }
  }

  /// Adds a record. The caller passes `fields`, because reading it from a property would update a reference
  /// count.
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
      let rejected = error.withoutID(where: erasedIdentities != nil).by(fields.account(of: record))
      rejects.add(rejected, file: file, number: record.number, unit: record.unit)
      // `takeBack` removes the values that were appended before the fault.
      takeBack(to: rows.count)
    }
  }

  /// Removes all rows after the first `count`.
  private mutating func takeBack(to count: Int) {
    rows.removeLast(rows.count - count)
    bytes.removeLast(bytes.count - ends[count])
    ends.removeLast(ends.count - 1 - count)
    keys.removeLast(keys.count - count)
    for index in attributes.indices { attributes[index].truncate(to: count) }
  }

  /// Returns whether the record describes an erased person, or an item that an erased person owns. The caller
  /// checks this before it reads other fields.
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

  /// The total length of all ids in bytes.
  var bytesOfIDs: Int { bytes.count }

  /// Returns the id of the row at `index`.
  @_lifetime(borrow self)
  func id(_ index: Int) -> Span<UInt8> { bytes.span.extracting(ends[index]..<ends[index + 1]) }

  /// Prefetches the memory that a lookup of the id at `index` will read. If the row does not exist, the
  /// function does nothing.
  @inline(__always)
  func prefetch(_ index: Int, in table: IdentityTable) {
    if index < keys.count { table.prefetch(keys[index]) }
  }

  /// Returns the values of the row at `index`.
  func values(_ index: Int) -> [AttributeValue] { attributes.map { $0[index] } }
}

internal import Files

/// A row that a person owned when the person was erased.
struct Belonging: Hashable {
  /// The tombstone of the person.
  let owner: Tombstone
  /// The authentication code of the row's id.
  let owned: Tombstone

  private static let separator = UInt8(ascii: " ")

  init(_ owned: Tombstone, of owner: Tombstone) {
    (self.owner, self.owned) = (owner, owned)
  }

  /// Parses two codes with a space between them. Returns `nil` for any other line.
  init?(line: ArraySlice<UInt8>) {
    let parts = line.split(separator: Self.separator, omittingEmptySubsequences: false)
    guard parts.count == 2, let owner = Tombstone(line: parts[0]), let owned = Tombstone(line: parts[1])
    else { return nil }
    self.init(owned, of: owner)
  }

  /// The line in the file, without the line break.
  var line: [UInt8] { owner.line + [Self.separator] + owned.line }
}

/// The file `belongings`: the rows that erased people owned in the kept runs. After the erasure, no run names
/// the owners of these rows. A store that was restored from a dump is therefore searched for the codes.
///
/// ```
/// belongings    per row, a line with the owner's tombstone, a space, and the code of the row's id;
///               sorted; mode 0600; absent if no erased person owned a row
/// ```
///
/// The codes have their own file, because they do not decide which rows ingest leaves out: the exports name
/// the current owner of each row.
extension TombstoneDirectory {
  static let belongingsName = "belongings"

  private var belongingsFile: String { "\(path)/\(Self.belongingsName)" }

  /// Records the rows that an erased person owns. The person already has a tombstone.
  ///
  /// - Parameters:
  ///   - ids: The ids of the rows. The id of the person is skipped.
  ///   - person: The id of the person, and the person's entity.
  /// - Throws: `TombstoneError` if the existing files cannot be used; `FileError` if a file cannot be read or
  ///   written. After an error, the recorded codes are unchanged.
  package func add(belongings ids: ErasedIDs, of person: (id: [UInt8], entity: String)) throws {
    guard !ids.isEmpty else { return }
    let key = try key()
    let owner = Tombstone(of: person.id.span, entity: person.entity, under: key)
    let before = try belongings()
    var after = before
    for (entity, ids) in ids.byEntity {
      for id in ids {
        let owned = Tombstone(of: id.span, entity: entity, under: key)
        if owned != owner { after.insert(Belonging(owned, of: owner)) }
      }
    }
    if after.count > before.count { try write(after) }
  }

  /// Removes the recorded codes of people whose tombstones were removed.
  func removeBelongings(of owners: Set<Tombstone>) throws {
    let before = try belongings()
    let after = before.filter { !owners.contains($0.owner) }
    if after.count < before.count { try write(after) }
  }

  /// Reads the recorded codes; empty if the file does not exist, for example because an earlier version wrote
  /// the tombstones.
  func belongings() throws -> Set<Belonging> {
    guard try Directories.isPresent(belongingsFile) else { return [] }
    return Set(
      try Self.lines(
        of: bytes(of: belongingsFile), "two codes of 64 lowercase hexadecimal digits", damagedBelongings,
        Belonging.init(line:)))
  }

  private func write(_ belongings: Set<Belonging>) throws(FileError) {
    let lines = belongings.map(\.line).sorted { $0.lexicographicallyPrecedes($1) }
    try Directories.replaceSecret(belongingsFile, with: lines.flatMap { $0 + [0x0A] })
  }

  private func damagedBelongings(_ found: String) -> TombstoneError {
    TombstoneError(
      .damaged, belongingsFile, found,
      nextStep: "Restore the file from a backup. Without it, a restored store would keep what erased people "
        + "owned.")
  }
}

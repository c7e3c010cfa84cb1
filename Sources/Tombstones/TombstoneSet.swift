package import Files
internal import Text

/// The erased people of a pipeline, as authentication codes of their ids. Ingest leaves these people out, and
/// publish and rollback remove them from stores.
///
/// The module `Tombstones` stores, reads and matches tombstones. It must not depend on `Ingest`, `Erasure` or
/// `Publishing`. Each of these modules checks ids against this set, and removes the data of erased people
/// itself.
package struct TombstoneSet: Sendable {
  /// The key of the pipeline; `nil` if there are no tombstones.
  private let key: MessageAuthentication?
  private let codes: Set<Tombstone>
  /// The digest of the tombstone file, for manifests; `nil` if there are no tombstones. The file is an
  /// input of a run, like the exports.
  package let input: FileDigest?
  /// The codes of rows that erased people owned in the runs at the time of their erasure.
  private let formerBelongings: Set<Tombstone>
  /// The ids of rows that erased people own, by entity. These rows are erased too.
  private var belongings: [String: Set<[UInt8]>] = [:]

  /// The name of the tombstone file in its directory.
  static let fileName = "tombstones"
  /// The name of the tombstone file in manifests.
  package static let inputPath = "erasures/\(fileName)"

  /// The set without tombstones.
  package static let none = TombstoneSet()

  private init() {
    (key, codes, input, formerBelongings) = (nil, [], nil, [])
  }

  init(
    _ tombstones: [Tombstone], belongings: Set<Belonging>, under key: MessageAuthentication, file: [UInt8]
  ) {
    guard !tombstones.isEmpty else {
      self = .none
      return
    }
    self.key = key
    let codes = Set(tombstones)
    self.codes = codes
    formerBelongings = Set(belongings.lazy.filter { codes.contains($0.owner) }.map(\.owned))
    input = FileDigest(
      path: Self.inputPath, bytes: file.count,
      sha256: SHA256.digest(of: file), rows: tombstones.count)
  }

  package var isEmpty: Bool { codes.isEmpty }
  package var count: Int { codes.count }

  /// The digest that identifies this set; `nil` for the empty set.
  package var digest: String? { input?.sha256 }

  /// Adds the ids of rows that an erased person owns. These ids then count as erased. `entity` is the entity
  /// of the rows. The file of tombstones does not contain these ids, because the exports name the owner of
  /// each row.
  package mutating func add(belongings ids: Set<[UInt8]>, of entity: String) {
    if !ids.isEmpty { belongings[entity, default: []].formUnion(ids) }
  }

  /// Returns whether the person or thing with the id `id` is erased, or is owned by an erased person.
  /// `entity` is the entity of the person or thing.
  ///
  /// - Complexity: One HMAC computation if there are tombstones. It takes about a microsecond.
  package func contain(_ id: Span<UInt8>, of entity: String) -> Bool {
    guard let key else { return false }
    if let belongings = belongings[entity], belongings.contains(Array(copying: id)) { return true }
    return codes.contains(Tombstone(of: id, entity: entity, under: key))
  }

  /// Returns whether an erased person owned the row of `entity` with the id `id` in a kept run at the time of
  /// the erasure.
  ///
  /// Stores are searched for these rows. Ingest reads the rows, because the exports may name new owners.
  ///
  /// - Complexity: At most one HMAC computation.
  package func containFormerBelonging(_ id: Span<UInt8>, of entity: String) -> Bool {
    guard let key, !formerBelongings.isEmpty else { return false }
    return formerBelongings.contains(Tombstone(of: id, entity: entity, under: key))
  }
}

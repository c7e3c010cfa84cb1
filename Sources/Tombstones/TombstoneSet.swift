package import Files
internal import Text

/// Who was erased from a pipeline, as codes of their ids: what ingest and rollback obey.
package struct TombstoneSet: Sendable {
  /// `nil` where there are no tombstones.
  private let key: MessageAuthentication?
  private let codes: Set<Tombstone>
  /// The file that they were read from, for manifests; `nil` where there are none. Whatever is made from the exports is
  /// made from these too.
  package let input: FileDigest?
  /// By kind of entity: ids of what belongs to somebody who was erased, and goes with them.
  private var belongings: [String: Set<[UInt8]>] = [:]

  /// The name of the file in its directory.
  static let fileName = "tombstones"
  /// The name of the file in manifests.
  package static let inputPath = "erasures/\(fileName)"

  /// Nobody.
  package static let none = TombstoneSet()

  private init() {
    (key, codes, input) = (nil, [], nil)
  }

  init(_ tombstones: [Tombstone], under key: MessageAuthentication, file: [UInt8]) {
    guard !tombstones.isEmpty else {
      self = .none
      return
    }
    self.key = key
    codes = Set(tombstones)
    input = FileDigest(
      path: Self.inputPath, bytes: file.count,
      sha256: SHA256.digest(of: file), rows: tombstones.count)
  }

  package var isEmpty: Bool { codes.isEmpty }
  package var count: Int { codes.count }

  /// What tells this set of tombstones from all others; `nil` for no tombstones.
  package var digest: String? { input?.sha256 }

  /// Takes `ids`, of the kind `entity`, for erased as well, since they belong to somebody who was. The file knows nothing of
  /// them: whose they are, exports tell.
  package mutating func add(belongings ids: Set<[UInt8]>, of entity: String) {
    if !ids.isEmpty { belongings[entity, default: []].formUnion(ids) }
  }

  /// Whether `id`, of the kind `entity`, was erased, or belongs to somebody who was, as far as that is known.
  ///
  /// - Complexity: about a microsecond where there are tombstones.
  package func contain(_ id: Span<UInt8>, of entity: String) -> Bool {
    guard let key else { return false }
    if let belongings = belongings[entity], belongings.contains(Array(copying: id)) { return true }
    return codes.contains(Tombstone(of: id, entity: entity, under: key))
  }
}

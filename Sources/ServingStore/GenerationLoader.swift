package import Geohash

/// What fills a generation that is being published: one list, table of matches, people, positions or buckets, or
/// catalog after the other.
///
/// `begin…` opens a table, the `add…` of its kind then adds rows to it until the next `begin…`. One table at a
/// time, because that is what bulk loaders of servers can take; a back end batches rows as it likes.
///
/// A loader is good inside the closure that got it. Using it later, or adding to a table of the wrong kind, is a
/// programming error and traps. All other failures are thrown as `ServingStoreError`, and after the first one
/// nothing is published.
package protocol GenerationLoader: AnyObject {
  /// Opens a list. A list without documents exists, and is empty.
  ///
  /// - Throws: `refused` if the name is empty, holds U+0000 or was begun before.
  func beginList(_ name: String) throws

  /// Adds one user's list to the open list. Fastest in byte order of the users.
  ///
  /// - Parameters:
  ///   - document: JSON in UTF-8, kept byte for byte.
  ///   - user: The user's id: UTF-8, not empty. Once per list.
  ///   - isChecked: Whether the caller has found that each keeps its own rule, on another thread maybe. That nobody
  ///     has two lists is left to the store.
  /// - Throws: `refused` if either breaks its rule.
  func addDocument(_ document: Span<UInt8>, user: Span<UInt8>, isChecked: Bool) throws

  /// Opens a matches table.
  ///
  /// - Throws: `refused` if the name is empty, holds U+0000 or was begun before.
  func beginMatches(_ name: String) throws

  /// Adds one match to the open matches table.
  ///
  /// - Parameters:
  ///   - user: The id of one side: UTF-8, not empty.
  ///   - other: The id of the other side: UTF-8, not empty. An ordered pair stands once.
  ///   - matchedAt: The instant as text: UTF-8 without U+0000; empty if unknown.
  /// - Throws: `refused` if one of them breaks its rule.
  func addMatch(user: Span<UInt8>, other: Span<UInt8>, matchedAt: Span<UInt8>) throws

  /// Opens a table of people (or events, workers, dogs).
  ///
  /// - Throws: `refused` if the entity's name is empty, holds U+0000 or was begun before.
  func beginPeople(_ entity: String) throws

  /// Adds one person's published attributes to the open table of people.
  ///
  /// - Parameters:
  ///   - attributes: JSON in UTF-8, kept byte for byte.
  ///   - id: The person's id: UTF-8, not empty. Once per table.
  /// - Throws: `refused` if either breaks its rule.
  func addPerson(attributes: Span<UInt8>, id: Span<UInt8>) throws

  /// Opens a table of the positions of an entity.
  ///
  /// - Throws: `refused` if the entity's name is empty, holds U+0000 or was begun before.
  func beginPositions(_ entity: String) throws

  /// Adds where somebody or something is to the open table of positions. Fastest in order of cells.
  ///
  /// - Parameters:
  ///   - position: The snapped position.
  ///   - cell: The geohash that it is in, of the pipeline's precision.
  ///   - id: Whose it is: UTF-8, not empty. Once per table.
  /// - Throws: `refused` if the id breaks its rule.
  func addPosition(_ position: Coordinate, cell: Geohash, id: Span<UInt8>) throws

  /// Opens a table of the cells that entities stand in.
  ///
  /// - Throws: `refused` if the entity's name is empty, holds U+0000 or was begun before.
  func beginBuckets(_ entity: String) throws

  /// Adds what is known of a cell to the open table of buckets.
  ///
  /// - Parameters:
  ///   - bucket: JSON in UTF-8, kept byte for byte.
  ///   - cell: The cell. Once per table.
  /// - Throws: `refused` if either breaks its rule.
  func addBucket(_ bucket: Span<UInt8>, cell: Geohash) throws

  /// Opens a catalog: lists that belong to a key, as a county, and to no user.
  ///
  /// - Throws: `refused` if the name is empty, holds U+0000 or was begun before.
  func beginCatalog(_ name: String) throws

  /// Adds the next entry of a key to the open catalog.
  ///
  /// - Parameters:
  ///   - entry: JSON in UTF-8, kept byte for byte.
  ///   - key: The key: UTF-8 without U+0000, not empty. The entries of a key come one after the other, best first.
  /// - Throws: `refused` if either breaks its rule, or the key had its turn before.
  func addEntry(_ entry: Span<UInt8>, key: Span<UInt8>) throws
}

extension GenerationLoader {
  /// Adds one user's list to the open list, and checks it.
  package func addDocument(_ document: Span<UInt8>, user: Span<UInt8>) throws {
    try addDocument(document, user: user, isChecked: false)
  }
}

package import Geohash

/// A loader that tells now and then how far another one has got.
package final class ObservedLoader: GenerationLoader {
  private let loader: any GenerationLoader
  private let observe: (String, Int) -> Void
  private var name = ""
  private var rows = 0

  /// After how many rows it tells.
  private static let step = 4_096

  /// An observer of `loader`.
  ///
  /// - Parameters:
  ///   - loader: What takes the rows.
  ///   - observe: Called with the name of the open table, and how many rows of it there are so far.
  package init(_ loader: any GenerationLoader, observe: @escaping (String, Int) -> Void) {
    self.loader = loader
    self.observe = observe
  }

  package func beginList(_ name: String) throws {
    try loader.beginList(name)
    begin(name)
  }

  package func addDocument(_ document: Span<UInt8>, user: Span<UInt8>, isChecked: Bool) throws {
    try loader.addDocument(document, user: user, isChecked: isChecked)
    count()
  }

  package func beginMatches(_ name: String) throws {
    try loader.beginMatches(name)
    begin(name)
  }

  package func addMatch(user: Span<UInt8>, other: Span<UInt8>, matchedAt: Span<UInt8>) throws {
    try loader.addMatch(user: user, other: other, matchedAt: matchedAt)
    count()
  }

  package func beginPeople(_ entity: String) throws {
    try loader.beginPeople(entity)
    begin(entity)
  }

  package func addPerson(attributes: Span<UInt8>, id: Span<UInt8>) throws {
    try loader.addPerson(attributes: attributes, id: id)
    count()
  }

  package func beginPositions(_ entity: String) throws {
    try loader.beginPositions(entity)
    begin("positions of \(entity)")
  }

  package func addPosition(_ position: Coordinate, cell: Geohash, id: Span<UInt8>) throws {
    try loader.addPosition(position, cell: cell, id: id)
    count()
  }

  package func beginBuckets(_ entity: String) throws {
    try loader.beginBuckets(entity)
    begin("cells of \(entity)")
  }

  package func addBucket(_ bucket: Span<UInt8>, cell: Geohash) throws {
    try loader.addBucket(bucket, cell: cell)
    count()
  }

  package func beginCatalog(_ name: String) throws {
    try loader.beginCatalog(name)
    begin(name)
  }

  package func addEntry(_ entry: Span<UInt8>, key: Span<UInt8>) throws {
    try loader.addEntry(entry, key: key)
    count()
  }

  private func begin(_ name: String) {
    if rows > 0 { observe(self.name, rows) }
    self.name = name
    rows = 0
  }

  private func count() {
    rows += 1
    if rows % Self.step == 0 { observe(name, rows) }
  }
}

/// An entry of a catalog, as JSON. Its member `id`, `candidate` or `user` is the id of the listed person or
/// thing.
package enum EntryDocument {
  /// Returns the ids in the entry; empty if the entry is not a JSON object.
  ///
  /// - Throws: `Flaw` if the entry begins like a JSON object but is not valid JSON.
  package static func ids(_ entry: [UInt8]) throws(ListDocument.Flaw) -> [[UInt8]] {
    do throws(JSONScanner.Flaw) {
      var ids: [[UInt8]] = []
      var scanner = JSONScanner(entry)
      guard scanner.next() == UInt8(ascii: "{") else { return ids }
      try scanner.object { (key, scanner) throws(JSONScanner.Flaw) in
        let isID = ["id", "candidate", "user"].contains(String(decoding: key, as: UTF8.self))
        if isID, scanner.next() == UInt8(ascii: "\"") {
          ids.append(try scanner.string())
        } else {
          _ = try scanner.value()
        }
      }
      return ids
    } catch {
      throw ListDocument.Flaw()
    }
  }
}

import Foundation

/// The JSON note that a store keeps with a generation.
package struct GenerationNote: Codable, Hashable, Sendable {
  /// A digest of all published data; `nil` if it is unknown, for example after an erasure. Two generations
  /// with the same digest contain the same rows.
  package var content: String?
  /// The names of the guards that rejected the publication but were overridden.
  package var overridden: [String]
  /// The digest of a set of tombstones; `nil` if no set was recorded. The generation contains none of the
  /// people in this set.
  package var tombstones: String?
  /// The number of empty lists by ranking; `nil` in generations of earlier versions.
  package var empty: [String: Int]?

  package init(
    content: String? = nil, overridden: [String] = [], tombstones: String? = nil, empty: [String: Int]? = nil
  ) {
    self.empty = empty
    self.content = content
    self.overridden = overridden
    self.tombstones = tombstones
  }

  /// Parses a note from a store. A missing or invalid note becomes an empty note.
  init(json: String?) {
    let found = json.flatMap { try? JSONDecoder().decode(GenerationNote.self, from: Data($0.utf8)) }
    self = found ?? GenerationNote()
  }

  var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else {
      preconditionFailure("the note cannot be encoded as JSON")
    }
    return String(decoding: data, as: UTF8.self)
  }
}

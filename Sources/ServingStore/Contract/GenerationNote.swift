import Foundation

/// The JSON note that a store keeps with a generation.
package struct GenerationNote: Codable, Hashable, Sendable {
  /// A digest of everything that was published. Two generations with the same digest contain the same rows.
  package var content: String?
  /// The guards that rejected the publish but were overridden.
  package var overridden: [String]
  /// The digest of a set of tombstones. The generation contains none of the people in this set.
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

  /// Parses the note in a store. The result is an empty note if there is none or if it cannot be parsed.
  init(json: String?) {
    let found = json.flatMap { try? JSONDecoder().decode(GenerationNote.self, from: Data($0.utf8)) }
    self = found ?? GenerationNote()
  }

  var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else { preconditionFailure("texts can be encoded as JSON") }
    return String(decoding: data, as: UTF8.self)
  }
}

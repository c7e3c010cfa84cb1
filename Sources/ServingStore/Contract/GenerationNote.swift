import Foundation

/// The JSON note that a store keeps with a generation, besides its rows.
package struct GenerationNote: Codable, Hashable, Sendable {
  /// A digest of all that was published: two generations with the same one hold the same rows.
  package var content: String?
  /// The guards that would have stopped the publish, but were overridden.
  package var overridden: [String]
  /// The digest of a set of tombstones: the generation is known to hold none of the people in the set.
  package var tombstones: String?

  package init(content: String? = nil, overridden: [String] = []) {
    self.content = content
    self.overridden = overridden
  }

  /// The note from a store's text; an empty note if there is none.
  init(json: String?) {
    let found = json.flatMap { try? JSONDecoder().decode(GenerationNote.self, from: Data($0.utf8)) }
    self = found ?? GenerationNote()
  }

  var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else { preconditionFailure("texts became no JSON") }
    return String(decoding: data, as: UTF8.self)
  }
}

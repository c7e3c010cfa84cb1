internal import Synchronization

/// Records the keys that the reader of pipeline files accepts, so that a test can compare the reference
/// manual with them.
///
/// To use it, bind a recorder with `KeyRecorder.$current.withValue` and read a file with every section.
package final class KeyRecorder: Sendable {
  @TaskLocal package static var current: KeyRecorder?

  /// One mapping that the reader has read, with its valid keys.
  package struct Mapping: Hashable, Sendable {
    /// The dotted path from the root, including names that the author chose: `entities.users.source`.
    package let path: String
    package let keys: [String]
    /// The file identifier and line of the call that read the mapping.
    package let reader: String
  }

  private let noted = Mutex<Set<Mapping>>([])

  package init() {}

  package var mappings: Set<Mapping> { noted.withLock { $0 } }

  func note(_ keys: [String], at path: String, by reader: String) {
    _ = noted.withLock { $0.insert(Mapping(path: path, keys: keys, reader: reader)) }
  }
}

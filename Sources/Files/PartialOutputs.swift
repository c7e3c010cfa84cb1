internal import Concurrency
internal import Foundation
internal import Glibc

/// The unfinished outputs of this process, to be removed when it is stopped.
package enum PartialOutputs {
  private static let paths = Guarded<Set<String>>([])

  /// Registers a file or directory that is being written.
  static func begin(_ path: String) { paths.withLock { _ = $0.insert(path) } }

  /// Unregisters it, because it is complete or removed.
  static func end(_ path: String) { paths.withLock { _ = $0.remove(path) } }

  /// Removes all unfinished outputs, while other threads may still be writing.
  ///
  /// Each is renamed first, so that no thread finds it to create more in it.
  package static func removeAll() {
    for path in paths.withLock({ $0 }) {
      let doomed = path + ".stopped"
      guard unsafe rename(path, doomed) == 0 else { continue }
      // Best effort: the next run removes the rest.
      try? FileManager.default.removeItem(atPath: doomed)
    }
  }
}

internal import Concurrency
internal import Foundation
internal import Glibc

/// The unfinished outputs of this process, which are removed if the process is stopped.
package enum PartialOutputs {
  private static let paths = Guarded<Set<String>>([])

  /// Registers a file or directory that is being written.
  static func begin(_ path: String) { paths.withLock { _ = $0.insert(path) } }

  /// Unregisters a file or directory that is complete or removed.
  static func end(_ path: String) { paths.withLock { _ = $0.remove(path) } }

  /// Removes all unfinished outputs, even while other threads are writing them.
  ///
  /// Each output is renamed first, so that other threads cannot create more files in it.
  package static func removeAll() {
    for path in paths.withLock({ $0 }) {
      let doomed = path + ".stopped"
      guard unsafe rename(path, doomed) == 0 else { continue }
      // A failure is ignored, because the next run removes the remaining files.
      try? FileManager.default.removeItem(atPath: doomed)
    }
  }
}

internal import Concurrency
internal import Foundation
internal import Glibc

/// What this process is writing and has not finished: to be removed when it is told to stop.
package enum PartialOutputs {
  private static let paths = Guarded<Set<String>>([])

  /// Notes that a file or directory is being written.
  static func begin(_ path: String) { paths.withLock { _ = $0.insert(path) } }

  /// Notes that it is complete, or gone.
  static func end(_ path: String) { paths.withLock { _ = $0.remove(path) } }

  /// Removes everything that is being written, while other threads may be writing still.
  ///
  /// Each goes under another name first: then nobody finds it to create more in it.
  package static func removeAll() {
    for path in paths.withLock({ $0 }) {
      let doomed = path + ".stopped"
      guard unsafe rename(path, doomed) == 0 else { continue }
      // Best effort on the way out; the next run removes what stays.
      try? FileManager.default.removeItem(atPath: doomed)
    }
  }
}

package import Files
internal import Foundation
package import System
package import Text

/// A night that failed before it created a run, for example because the pipeline file is wrong. The note is
/// in the file `failed-start.json` beside `runs`, so that `nightjar runs` and each later report show the
/// failure. The next run removes the note.
package struct FailedStart: Codable, Hashable, Sendable {
  /// The time of the failure.
  package let time: Instant
  /// The exit status of `nightjar run`.
  package let status: Int32

  package init(_ status: ExitStatus, at time: Instant) {
    (self.status, self.time) = (status.rawValue, time)
  }

  /// Reads the note of a pipeline. The result is `nil` if there is no readable note.
  ///
  /// - Parameter root: The pipeline's directory under the work directory.
  package init?(of root: String) {
    // A damaged note must not stop a report.
    guard let bytes = try? Data(contentsOf: URL(filePath: Self.path(root))),
      let note = try? JSONDecoder().decode(Self.self, from: bytes)
    else { return nil }
    self = note
  }

  /// Writes the note into the pipeline's directory `root`.
  package func write(to root: String) throws(FileError) {
    try Directories.replace(Self.path(root), with: JSONValue.encoded(self))
  }

  /// Removes the note from the pipeline's directory `root`, if there is one.
  package static func remove(from root: String) throws(FileError) { try Directories.remove(path(root)) }

  private static func path(_ root: String) -> String { root + "/failed-start.json" }
}

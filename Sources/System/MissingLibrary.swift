/// A library that is loaded at its first use cannot be loaded.
///
/// Libraries that only some commands need are loaded this way, so that the other commands start faster and run without
/// them.
package struct MissingLibrary: ErrorWithStatus, Hashable, CustomStringConvertible {
  /// The message of the loader, which names the file.
  package var reason: String
  /// The Debian package of the library.
  package var package: String

  package init(_ reason: String, package: String) {
    (self.reason, self.package) = (reason, package)
  }

  package var exitStatus: ExitStatus { .storeUnavailable }

  package var description: String { "cannot load a library: \(reason). Install Debian's \(package)." }
}

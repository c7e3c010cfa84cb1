/// The error for a library that cannot be loaded.
///
/// Libraries that only some commands need are loaded at their first use. All other commands therefore start
/// faster, and run without these libraries.
package struct MissingLibrary: ErrorWithStatus, Hashable, CustomStringConvertible {
  /// The dynamic loader's message, which names the file.
  package var reason: String
  /// The Debian packages that contain the library, as in `liblapacke and libopenblas0-pthread`.
  package var package: String

  package init(_ reason: String, package: String) {
    (self.reason, self.package) = (reason, package)
  }

  package var exitStatus: ExitStatus { .storeUnavailable }

  package var description: String { "cannot load a library: \(reason). Install \(package) from Debian." }
}

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Synthetic exports that could not be made or written.
package struct SynthesisError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: String, Hashable, Sendable {
    /// The numbers of users and swipes do not go together.
    case invalidSize
    /// A directory or file could not be made.
    case cannotCreate
    /// A file could not be written, synced or renamed: often a full disk.
    case cannotWrite
  }

  /// What to switch on.
  package var code: Code
  /// The argument or the path that is concerned.
  package var place: String
  /// The rule that was broken, or what the system said; for people.
  package var reason: String

  init(_ code: Code, _ place: String, reason: String) {
    self.code = code
    self.place = place
    self.reason = reason
  }

  init(_ code: Code, _ path: String, errno number: Int32) {
    self.init(code, path, reason: unsafe String(cString: strerror(number)))
  }

  package var description: String {
    switch code {
    case .invalidSize: "\(place) \(reason)."
    case .cannotCreate: "cannot create '\(place)': \(reason)."
    case .cannotWrite: "cannot write '\(place)': \(reason)."
    }
  }
}

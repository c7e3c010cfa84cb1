/// Where a serving store is, parsed from the text of a pipeline file: `sqlite:PATH`.
///
/// A store's password is never part of the address: it comes from the environment or from the client's own
/// password file. An address that carries one is refused like any other that this version does not know, and
/// the error repeats the scheme alone.
package struct StoreAddress: Hashable, Sendable, CustomStringConvertible {
  /// The kinds of store that this version can open.
  package enum Backend: Hashable, Sendable {
    /// A SQLite file at an absolute path, or at one relative to the working directory if the base was.
    case sqlite(path: String)
  }

  package let backend: Backend

  /// The schemes that this version opens.
  package static let knownSchemes = ["sqlite"]

  /// Schemes that are understood but that no back end serves yet.
  private static let plannedSchemes: Set<String> = ["postgresql", "postgres", "redis", "rediss"]

  /// The address of the SQLite file at `path`, taken as it is.
  package init(sqlitePath path: String) {
    backend = .sqlite(path: path)
  }

  /// The address that `text` names.
  ///
  /// - Parameters:
  ///   - text: A scheme, a colon and, for `sqlite`, a path. Schemes are compared without regard to case.
  ///   - baseDirectory: What a relative path starts from: the pipeline file's directory. `..` is left to the
  ///     file system, so that it means the same through symbolic links as it does for other programs.
  /// - Throws: `badAddress` for a text without a known scheme, or without a path that can name a file;
  ///   `unsupportedStore` for `postgresql:` and `redis:`.
  package init(parsing text: String, relativeTo baseDirectory: String) throws(ServingStoreError) {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
      Self.isScheme(text.utf8[..<colon])
    else {
      throw Self.bad("(no scheme)", "the store's address has no scheme")
    }
    let scheme = text[..<colon].lowercased()
    if Self.plannedSchemes.contains(scheme) {
      throw ServingStoreError(
        .unsupportedStore, address: "\(scheme):...",
        found: "\(scheme) stores are not supported by this version",
        nextStep:
          "publish to a store that is: \(Self.knownSchemes.map { "\($0):PATH" }.joined(separator: ", "))")
    }
    guard scheme == "sqlite" else {
      throw Self.bad("\(scheme):...", "unknown scheme '\(scheme)'")
    }
    let path = String(text[text.utf8.index(after: colon)...])
    guard !path.utf8.isEmpty else {
      throw Self.bad("sqlite:", "the path is empty")
    }
    guard !path.utf8.contains(0) else {
      throw Self.bad("sqlite:...", "the path holds the character U+0000")
    }
    // SQLite's name for a store that is gone when the process ends: nobody could read what was published.
    guard path != ":memory:" else {
      throw Self.bad("sqlite::memory:", "a store in memory cannot be served from")
    }
    guard path.utf8.first != UInt8(ascii: "/") else {
      backend = .sqlite(path: path)
      return
    }
    let base = baseDirectory.utf8.isEmpty ? "." : baseDirectory
    backend = .sqlite(path: base.utf8.last == UInt8(ascii: "/") ? base + path : "\(base)/\(path)")
  }

  /// The scheme and the resolved path. Never holds a secret.
  package var description: String {
    switch backend {
    case .sqlite(let path): "sqlite:\(path)"
    }
  }

  /// Source: RFC 3986, section 3.1. Whatever else stands before a colon may be a password, so it is not a scheme.
  private static func isScheme(_ text: Substring.UTF8View) -> Bool {
    guard let first = text.first, isLetter(first) else { return false }
    return text.allSatisfy {
      isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || [UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: ".")].contains($0)
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func bad(_ address: String, _ found: String) -> ServingStoreError {
    ServingStoreError(
      .badAddress, address: address, found: found,
      nextStep: "write one of the known schemes and a path: "
        + knownSchemes.map { "\($0):PATH" }.joined(separator: ", "))
  }
}

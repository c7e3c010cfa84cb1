/// Where a serving store is, parsed from the text of a pipeline file: `sqlite:PATH`, `postgresql://HOST/DATABASE` or
/// `redis://HOST:PORT/NUMBER`.
///
/// A store's password is never part of the address: it comes from the environment or from the client's own
/// password file. An address that carries one is refused, and the error repeats the scheme alone.
package struct StoreAddress: Hashable, Sendable, CustomStringConvertible {
  /// The kinds of store.
  package enum Backend: Hashable, Sendable {
    /// A SQLite file at an absolute path, or at one relative to the working directory if the base was.
    case sqlite(path: String)
    /// A PostgreSQL database: a connection URI of libpq.
    case postgresql(uri: String)
    /// A Redis or Valkey server.
    case redis(RedisEndpoint)
  }

  /// What is wrong with an address.
  struct Flaw: Error {
    var found: String

    init(_ found: String) { self.found = found }
  }

  package let backend: Backend

  /// The addresses that there are.
  package static let forms = ["sqlite:PATH", "postgresql://HOST/DATABASE", "redis://HOST:PORT/NUMBER"]

  /// The address of the SQLite file at `path`, taken as it is.
  package init(sqlitePath path: String) {
    backend = .sqlite(path: path)
  }

  /// The address of a server of Redis.
  package init(_ endpoint: RedisEndpoint) {
    backend = .redis(endpoint)
  }

  /// The address that `text` names.
  ///
  /// - Parameters:
  ///   - text: A scheme, a colon and what the scheme wants. Schemes are compared without regard to case.
  ///   - baseDirectory: What a relative path starts from: the pipeline file's directory. `..` is left to the
  ///     file system, so that it means the same through symbolic links as it does for other programs.
  /// - Throws: `badAddress` for a text without a known scheme, without a path that can name a file, or with a password,
  ///   and for `rediss:`.
  package init(parsing text: String, relativeTo baseDirectory: String) throws(ServingStoreError) {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
      Self.isScheme(text.utf8[..<colon])
    else {
      throw Self.bad("(no scheme)", "the store's address has no scheme")
    }
    let scheme = text[..<colon].lowercased()
    let rest = text[text.utf8.index(after: colon)...]
    do throws(Flaw) {
      switch scheme {
      case "sqlite": backend = .sqlite(path: try Self.path(String(rest), relativeTo: baseDirectory))
      case "postgresql", "postgres":
        backend = .postgresql(uri: try PostgreSQLURI.checked("postgresql:" + rest))
      case "redis":
        guard rest.hasPrefix("//") else { throw Flaw("there is no // behind the scheme") }
        backend = .redis(try RedisEndpoint(authority: rest.dropFirst(2)))
      case "rediss":
        throw Flaw(
          "TLS is not spoken to Redis; put stunnel or a proxy of that kind between, and name its port")
      default: throw Flaw("unknown scheme '\(scheme)'")
      }
    } catch {
      throw Self.bad(scheme == "sqlite" ? "sqlite:" : "\(scheme):...", error.found)
    }
  }

  private static func path(_ path: String, relativeTo baseDirectory: String) throws(Flaw) -> String {
    guard !path.utf8.isEmpty else { throw Flaw("the path is empty") }
    guard !path.utf8.contains(0) else { throw Flaw("the path holds the character U+0000") }
    // SQLite's name for a store that is gone when the process ends: nobody could read what was published.
    guard path != ":memory:" else { throw Flaw("a store in memory cannot be served from") }
    guard path.utf8.first != UInt8(ascii: "/") else { return path }
    let base = baseDirectory.utf8.isEmpty ? "." : baseDirectory
    return base.utf8.last == UInt8(ascii: "/") ? base + path : "\(base)/\(path)"
  }

  /// The scheme and where the store is. Never holds a secret.
  package var description: String {
    switch backend {
    case .sqlite(let path): "sqlite:\(path)"
    case .postgresql(let uri): uri
    case .redis(let endpoint): endpoint.description
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
      nextStep: "write one of \(forms.joined(separator: ", ")), without a password: that comes from the "
        + "environment or a password file")
  }
}

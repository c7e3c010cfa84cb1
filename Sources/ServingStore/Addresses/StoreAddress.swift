internal import CPostgreSQL
internal import Files

/// The address of a serving store: `sqlite:PATH`, `postgresql://HOST/DATABASE` or `redis://HOST:PORT/NUMBER`.
///
/// A password is never part of the address. It comes from the environment or from a password file. An address
/// that contains a password is rejected, and the error quotes only the scheme.
package struct StoreAddress: Hashable, Sendable, CustomStringConvertible {
  /// The kind of a store, with its location.
  package enum Backend: Hashable, Sendable {
    /// A SQLite file. The path is absolute, or relative to the working directory.
    case sqlite(path: String)
    /// A PostgreSQL database, as a connection URI of libpq.
    case postgresql(uri: String)
    /// A Redis or Valkey server.
    case redis(RedisEndpoint)
  }

  package let backend: Backend

  /// The supported forms of addresses.
  package static let forms = ["sqlite:PATH", "postgresql://HOST/DATABASE", "redis://HOST:PORT/NUMBER"]

  /// Creates the address of the SQLite file at `path`, which is used unchanged.
  package init(sqlitePath path: String) {
    backend = .sqlite(path: path)
  }

  /// Creates the address of a Redis server.
  package init(_ endpoint: RedisEndpoint) {
    backend = .redis(endpoint)
  }

  /// Parses an address.
  ///
  /// - Parameters:
  ///   - text: A scheme, a colon and the rest of the address. The scheme is case-insensitive.
  ///   - baseDirectory: The directory for the relative path of a SQLite file. The file system resolves `..`,
  ///     so that it has the usual meaning after symbolic links.
  /// - Throws: `badAddress` for a text that is not an address of a supported form, or that contains a
  ///   password; `cannotOpen` if the address is for PostgreSQL and libpq is not installed.
  package init(parsing text: String, relativeTo baseDirectory: String) throws(ServingStoreError) {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
      Self.isScheme(text.utf8[..<colon])
    else {
      throw Self.bad("(no scheme)", "the store's address has no scheme")
    }
    let scheme = text[..<colon].lowercased()
    let rest = text[text.utf8.index(after: colon)...]
    // Without libpq, an address for PostgreSQL cannot be checked. It may be valid, so the error is not
    // `badAddress`.
    let isPostgreSQL = ["postgresql", "postgres"].contains(scheme)
    let library = isPostgreSQL ? try LibPQ.functions(for: "\(scheme):...") : nil
    do throws(AddressFlaw) {
      if let library {
        backend = .postgresql(uri: try Self.checkedURI("postgresql:" + rest, library))
        return
      }
      switch scheme {
      case "sqlite": backend = .sqlite(path: try Self.path(String(rest), relativeTo: baseDirectory))
      case "redis":
        guard rest.hasPrefix("//") else { throw AddressFlaw("'//' is missing after the scheme") }
        backend = .redis(try RedisEndpoint(authority: rest.dropFirst(2)))
      case "rediss":
        throw AddressFlaw(
          "Nightjar does not support TLS to Redis; use the address of a TLS proxy such as stunnel")
      default: throw AddressFlaw("the scheme '\(scheme)' is unknown")
      }
    } catch {
      throw Self.bad(scheme == "sqlite" ? "sqlite" : "\(scheme):...", error.found)
    }
  }

  private static func path(_ path: String, relativeTo baseDirectory: String) throws(AddressFlaw) -> String {
    guard !path.utf8.isEmpty else { throw AddressFlaw("the path is empty") }
    guard !path.utf8.contains(0) else { throw AddressFlaw("the path contains the character U+0000") }
    // This is SQLite's name for an in-memory database. Such a database exists only within its process, so the
    // app could not open it.
    guard path != ":memory:" else { throw AddressFlaw("an in-memory store cannot serve other processes") }
    guard path.utf8.first != UInt8(ascii: "/") else { return path }
    let base = baseDirectory.utf8.isEmpty ? "." : baseDirectory
    return base.utf8.last == UInt8(ascii: "/") ? base + path : "\(base)/\(path)"
  }

  /// Checks that `text` is a PostgreSQL URI without a password, as libpq parses it.
  ///
  /// The URI may contain everything else that libpq accepts: several hosts, a Unix-domain socket, `sslmode`
  /// and certificates.
  ///
  /// - Throws: The fault in the URI. The message does not quote the URI, which may contain a password.
  private static func checkedURI(_ text: String, _ library: libpq_functions) throws(AddressFlaw) -> String {
    guard text.hasPrefix("postgresql://") else { throw AddressFlaw("'//' is missing after the scheme") }
    guard !text.utf8.contains(0) else { throw AddressFlaw("the address contains the character U+0000") }
    var message: UnsafeMutablePointer<CChar>?
    let options = unsafe library.PQconninfoParse(text, &message)
    defer {
      unsafe library.PQconninfoFree(options)
      unsafe library.PQfreemem(message)
    }
    guard var option = unsafe options else {
      throw AddressFlaw("the address is not a PostgreSQL connection URI")
    }
    while let keyword = unsafe option.pointee.keyword {
      let name = unsafe String(cString: keyword)
      if unsafe option.pointee.val != nil, ["password", "sslpassword"].contains(name) {
        throw AddressFlaw("the address contains a password")
      }
      unsafe option += 1
    }
    return text
  }

  /// The scheme and the location of the store. The text contains no secret.
  package var description: String {
    switch backend {
    case .sqlite(let path): "sqlite:\(path)"
    case .postgresql(let uri): uri
    case .redis(let endpoint): endpoint.description
    }
  }

  /// The store's location as text. Two addresses refer to the same store if their locations are equal. They
  /// may also refer to the same store if their locations differ, for example if a server has two names.
  package var place: String {
    switch backend {
    case .sqlite(let path): "sqlite:" + Directories.resolved(path)
    case .postgresql(let uri): "postgresql:" + Self.place(of: uri)
    case .redis(let endpoint): "redis:\(endpoint.host.lowercased()):\(endpoint.port)/\(endpoint.database)"
    }
  }

  /// Returns the parts of a PostgreSQL URI that determine the server and the database; the whole URI if libpq
  /// is missing or cannot parse it.
  private static func place(of uri: String) -> String {
    guard let library = try? LibPQ.functions(for: uri) else { return uri }
    let options = unsafe library.PQconninfoParse(uri, nil)
    defer { unsafe library.PQconninfoFree(options) }
    guard var option = unsafe options else { return uri }
    var values: [String: String] = [:]
    while let keyword = unsafe option.pointee.keyword {
      if let value = unsafe option.pointee.val {
        values[unsafe String(cString: keyword)] = unsafe String(cString: value)
      }
      unsafe option += 1
    }
    // If no database is given, libpq uses the database with the user's name.
    values["dbname"] = values["dbname"] ?? values["user"]
    return ["dbname", "host", "hostaddr", "port", "service"]
      .compactMap { name in values[name].map { name + "=" + $0 } }.joined(separator: " ")
  }

  /// The address for messages, with a shortened path.
  package var shown: String {
    switch backend {
    case .sqlite(let path): "sqlite:" + ShownPath.short(path)
    case .postgresql, .redis: description
    }
  }

  /// Returns whether the text is a URI scheme (RFC 3986, section 3.1). Any other text before a colon may be a
  /// password, so errors do not quote it.
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
      nextStep: "write one of \(forms.joined(separator: ", ")), without a password; for "
        + "a PostgreSQL password, set PGPASSWORD or PGPASSFILE; for a Redis password, set REDISCLI_AUTH or "
        + "NIGHTJAR_REDIS_PASSWORD_FILE")
  }
}

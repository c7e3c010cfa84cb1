import CPostgreSQL

/// Connection URIs of PostgreSQL, as libpq reads them.
enum PostgreSQLURI {
  /// `text`, if it is a URI without a password.
  ///
  /// Everything that libpq knows may stand in it: several hosts, a Unix-domain socket, `sslmode` and certificates.
  ///
  /// - Throws: What is wrong with it, which repeats nothing of it: it may hold a password.
  static func checked(_ text: String) throws(StoreAddress.Flaw) -> String {
    guard text.hasPrefix("postgresql://") else { throw StoreAddress.Flaw("there is no // behind the scheme") }
    guard !text.utf8.contains(0) else { throw StoreAddress.Flaw("it holds the character U+0000") }
    var message: UnsafeMutablePointer<CChar>?
    let options = unsafe PQconninfoParse(text, &message)
    defer {
      unsafe PQconninfoFree(options)
      unsafe PQfreemem(message)
    }
    guard var option = unsafe options else {
      throw StoreAddress.Flaw("it is no connection URI of PostgreSQL")
    }
    while let keyword = unsafe option.pointee.keyword {
      let name = unsafe String(cString: keyword)
      if unsafe option.pointee.val != nil, ["password", "sslpassword"].contains(name) {
        throw StoreAddress.Flaw("it holds a password")
      }
      unsafe option += 1
    }
    return text
  }
}

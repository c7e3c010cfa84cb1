/// The address of a database on a Redis or Valkey server: `redis://[USER@]HOST[:PORT][/DATABASE]`.
package struct RedisEndpoint: Hashable, Sendable, CustomStringConvertible {
  package var user: String?
  package var host: String
  package var port: Int32 = 6379
  package var database = 0

  package init(host: String, port: Int32 = 6379, database: Int = 0, user: String? = nil) {
    (self.host, self.port, self.database, self.user) = (host, port, database, user)
  }

  /// Parses the part after `redis://`.
  ///
  /// - Throws: The fault in the address. The text contains no password.
  init(authority text: Substring) throws(AddressFlaw) {
    var rest = text
    if let at = rest.utf8.lastIndex(of: UInt8(ascii: "@")) {
      let user = rest[..<at]
      guard !user.utf8.contains(UInt8(ascii: ":")) else {
        throw AddressFlaw("the address contains a password")
      }
      self.user = user.utf8.isEmpty ? nil : String(user)
      rest = rest[rest.utf8.index(after: at)...]
    }
    guard !rest.utf8.contains(UInt8(ascii: "?")), !rest.utf8.contains(UInt8(ascii: "#")) else {
      throw AddressFlaw("the address contains options, which Redis addresses do not have")
    }
    if let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) {
      let number = rest[rest.utf8.index(after: slash)...]
      guard number.isEmpty || Int(number).map({ (0..<1_000_000).contains($0) }) == true else {
        throw AddressFlaw("the database after the host is not a number from 0 to 999999")
      }
      database = Int(number) ?? 0
      rest = rest[..<slash]
    }
    // IPv6 addresses are in brackets.
    var host = rest
    var afterHost = rest[rest.endIndex...]
    if rest.utf8.first == UInt8(ascii: "[") {
      guard let end = rest.utf8.firstIndex(of: UInt8(ascii: "]")) else {
        throw AddressFlaw("the host has no closing bracket")
      }
      host = rest[rest.utf8.index(after: rest.startIndex)..<end]
      afterHost = rest[rest.utf8.index(after: end)...]
    } else if let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")) {
      (host, afterHost) = (rest[..<colon], rest[colon...])
    }
    if !afterHost.isEmpty {
      guard afterHost.utf8.first == UInt8(ascii: ":"), let port = Int32(afterHost.dropFirst()),
        (1...65535).contains(port)
      else { throw AddressFlaw("the port after the host is not a number from 1 to 65535") }
      self.port = port
    }
    guard !host.utf8.isEmpty else { throw AddressFlaw("the address has no host") }
    self.host = String(host)
  }

  package var description: String {
    let host = self.host.utf8.contains(UInt8(ascii: ":")) ? "[\(self.host)]" : self.host
    return "redis://" + (user.map { "\($0)@" } ?? "") + "\(host):\(port)/\(database)"
  }
}

import Testing

@testable import ServingStore

@Suite struct `Addresses of stores` {
  @Test(arguments: [
    ("sqlite:serving.sqlite", "/srv/pipelines", "/srv/pipelines/serving.sqlite"),
    ("sqlite:../var/serving.sqlite", "/srv/pipelines/", "/srv/pipelines/../var/serving.sqlite"),
    ("sqlite:/var/serving.sqlite", "/srv", "/var/serving.sqlite"),
    ("SQLite:a", "/srv", "/srv/a"),
    ("sqlite:a:b c?d=e#f%20", "/srv", "/srv/a:b c?d=e#f%20"),
    ("sqlite:file:x", "/srv", "/srv/file:x"),
    ("sqlite:a", "", "./a"),
    ("sqlite:\u{E9}", "/srv", "/srv/\u{E9}"),
  ])
  func `a relative path starts at the base directory`(text: String, base: String, path: String) throws {
    let address = try StoreAddress(parsing: text, relativeTo: base)
    #expect(address.backend == .sqlite(path: path))
    #expect(address.description == "sqlite:\(path)")
  }

  @Test(arguments: [
    "", ":", "sqlite", "sqlite:", "sqlite::memory:", "sqlite:a\u{0}b", "serving.sqlite", "/var/x.sqlite",
    "mysql:x", "file:x", ":x", "1sqlite:x", " sqlite:x",
  ])
  func `an invalid address is rejected with the known schemes`(text: String) throws {
    let error = try #require(throws: ServingStoreError.self) {
      try StoreAddress(parsing: text, relativeTo: "/srv")
    }
    #expect(error.code == .badAddress)
    #expect(error.description.contains("sqlite:PATH"))
  }

  @Test(arguments: [
    "postgresql://app:hunter2@db/x", "postgresql://db/x?password=hunter2",
    "postgres://h/x?sslpassword=hunter2",
    "redis://:hunter2@h", "redis://app:hunter2@h:6379/0",
  ])
  func `a password in an address is rejected and never repeated`(text: String) throws {
    let error = try #require(throws: ServingStoreError.self) {
      try StoreAddress(parsing: text, relativeTo: "/srv")
    }
    #expect(error.code == .badAddress)
    #expect(error.description.contains("the address contains a password"))
    #expect(!error.description.contains("hunter2"))
  }

  @Test(arguments: [
    "postgres:x", "postgresql:/x", "postgresql://h/x?nonsense=1", "postgresql://h/\u{0}", "redis:x",
    "redis://", "redis://:1/",
    "redis://h:0", "redis://h:65536", "redis://h:x", "redis://h/one", "redis://h/-1", "redis://h?db=1",
    "redis://[::1", "redis://[::1]6379", "redis://[]:1", "redis://h/1000000", "redis://h#1", "redis://h:-1",
    "redis://[::1]x:7", "redis://app@",
    // Without brackets, the last part of an IPv6 address could be a port.
    "redis://::1", "redis://fe80::1:6379/0", "redis://a:b:1",
    "rediss://h",
  ])
  func `an address that identifies no server is rejected`(text: String) throws {
    let error = try #require(throws: ServingStoreError.self) {
      try StoreAddress(parsing: text, relativeTo: "/srv")
    }
    #expect(error.code == .badAddress)
  }

  @Test(arguments: [
    ("redis://h", RedisEndpoint(host: "h"), "redis://h:6379/0"),
    ("redis://h:1/", RedisEndpoint(host: "h", port: 1), "redis://h:1/0"),
    ("redis://@h/999999", RedisEndpoint(host: "h", database: 999_999), "redis://h:6379/999999"),
    ("redis://a@b@h", RedisEndpoint(host: "h", user: "a@b"), "redis://a@b@h:6379/0"),
    ("redis://[::1]", RedisEndpoint(host: "::1"), "redis://[::1]:6379/0"),
    (
      "REDIS://app@h:65535/15", RedisEndpoint(host: "h", port: 65535, database: 15, user: "app"),
      "redis://app@h:65535/15"
    ),
    ("redis://[::1]:7/2", RedisEndpoint(host: "::1", port: 7, database: 2), "redis://[::1]:7/2"),
  ])
  func `a server of Redis has a host, a port and a database`(
    text: String, endpoint: RedisEndpoint, shown: String
  ) throws {
    let address = try StoreAddress(parsing: text, relativeTo: "/srv")
    #expect(address.backend == .redis(endpoint))
    #expect(address.description == shown)
  }

  @Test(arguments: [
    "postgresql://db/x", "postgresql://app@db:5433/x?sslmode=verify-full&sslrootcert=/etc/ca.pem",
    "postgresql:///x?host=/run/postgresql", "postgresql://a,b:5433/x?target_session_attrs=primary",
  ])
  func `a PostgreSQL URI is passed on unchanged`(text: String) throws {
    #expect(try StoreAddress(parsing: text, relativeTo: "/srv").backend == .postgresql(uri: text))
    let short = text.replacing("postgresql:", with: "postgres:", maxReplacements: 1)
    #expect(try StoreAddress(parsing: short, relativeTo: "/srv").backend == .postgresql(uri: text))
  }

  @Test(arguments: [
    ("a+b-c.9Z:x", "a+b-c.9z:...: the scheme 'a+b-c.9z' is unknown"),
    ("z:", "z:...: the scheme 'z' is unknown"),
    ("a_b:x", "(no scheme): the store's address has no scheme"),
    ("9a:x", "(no scheme): the store's address has no scheme"),
    ("[a:x", "(no scheme): the store's address has no scheme"),
    ("sqlite:", "sqlite: the path is empty"),
    ("sqlite:\u{0}", "sqlite: the path contains the character U+0000"),
    ("sqlite::memory:", "sqlite: an in-memory store cannot serve other processes"),
    ("redis:h", "redis:...: '//' is missing after the scheme"),
    ("rediss://h", "rediss:...: Nightjar does not support TLS to Redis; "),
    ("redis://h/-1", "redis:...: the database after the host is not a number from 0 to 999999"),
    ("redis://h?db=1", "redis:...: the address contains options, which Redis addresses do not have"),
    ("redis://h:0", "redis:...: the port after the host is not a number from 1 to 65535"),
    ("redis://[::1", "redis:...: the host has no closing bracket"),
    ("redis://:1", "redis:...: the address has no host"),
    ("postgres:x", "postgres:...: '//' is missing after the scheme"),
    ("postgresql://h/\u{0}", "postgresql:...: the address contains the character U+0000"),
    ("postgresql://h/x?nonsense=1", "postgresql:...: the address is not a PostgreSQL connection URI"),
  ])
  func `the error of an address names its fault`(text: String, fault: String) throws {
    let error = try #require(throws: ServingStoreError.self) {
      try StoreAddress(parsing: text, relativeTo: "/srv")
    }
    #expect(error.description.hasPrefix(fault), "\(error)")
    #expect(
      error.nextStep
        == "write one of sqlite:PATH, postgresql://HOST/DATABASE, redis://HOST:PORT/NUMBER, without "
        + "a password; for a PostgreSQL password, set PGPASSWORD or PGPASSFILE; for a Redis password, set "
        + "REDISCLI_AUTH or NIGHTJAR_REDIS_PASSWORD_FILE")
  }

  @Test func `text before a colon that is not a scheme is not repeated`() throws {
    let error = try #require(throws: ServingStoreError.self) {
      try StoreAddress(parsing: "hunter2@db:x", relativeTo: "/srv")
    }
    #expect(!error.description.contains("hunter2"))
  }
}

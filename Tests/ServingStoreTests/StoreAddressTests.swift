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
  func `a path is taken from the base directory`(text: String, base: String, path: String) throws {
    let address = try StoreAddress(parsing: text, relativeTo: base)
    #expect(address.backend == .sqlite(path: path))
    #expect(address.description == "sqlite:\(path)")
  }

  @Test(arguments: [
    "", ":", "sqlite", "sqlite:", "sqlite::memory:", "sqlite:a\u{0}b", "serving.sqlite", "/var/x.sqlite",
    "mysql:x", "file:x", ":x", "1sqlite:x", " sqlite:x",
  ])
  func `what is no address names the known schemes`(text: String) throws {
    let error = try #require(throws: ServingStoreError.self) {
      try StoreAddress(parsing: text, relativeTo: "/srv")
    }
    #expect(error.code == .badAddress)
    #expect(error.description.contains("sqlite:PATH"))
  }

  @Test(arguments: ["postgresql://app:hunter2@db/x", "postgres:x", "redis://:hunter2@h", "REDISS:x"])
  func `planned stores are told from unknown ones, and no password is repeated`(text: String) throws {
    let error = try #require(throws: ServingStoreError.self) {
      try StoreAddress(parsing: text, relativeTo: "/srv")
    }
    #expect(error.code == .unsupportedStore)
    #expect(error.description.contains("not supported by this version"))
    #expect(!error.description.contains("hunter2"))
  }

  @Test func `what stands before a colon and is no scheme is not repeated`() throws {
    let error = try #require(throws: ServingStoreError.self) {
      try StoreAddress(parsing: "hunter2@db:x", relativeTo: "/srv")
    }
    #expect(!error.description.contains("hunter2"))
  }
}

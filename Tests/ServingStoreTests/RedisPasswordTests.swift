import Foundation
import TestSupport
import Testing

@testable import ServingStore

/// The password of a Redis server, from the environment or from a private file.
struct RedisPasswordTests {
  private let scratch: ScratchDirectory
  private let address = StoreAddress(RedisEndpoint(host: "h"))

  init() throws { scratch = try ScratchDirectory() }

  private func password(_ variable: String?, file text: String?, mode: Int = 0o600) throws -> String? {
    var environment: [String: String] = [:]
    environment["REDISCLI_AUTH"] = variable
    if let text {
      let path = try scratch.write(text, to: "password")
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      environment["NIGHTJAR_REDIS_PASSWORD_FILE"] = path
    }
    return try RedisPassword.find(in: environment, address).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(
    arguments: [
      (nil, nil, nil), ("word", nil, "word"), ("", nil, nil), ("word", "other\n", "word"), ("", "x\n", "x"),
      (nil, "x", "x"), (nil, "x\r\n", "x"), (nil, "x\n\n", "x\n"), (nil, " x ", " x "), (nil, "x\r", "x"),
    ] as [(String?, String?, String?)])
  func `the variable comes before the file, whose line end is not part of the password`(
    variable: String?, file: String?, expected: String?
  ) throws {
    #expect(try password(variable, file: file) == expected)
  }

  @Test(arguments: [
    ("", 0o600, "is empty"), ("\r\n", 0o600, "is empty"),
    ("x", 0o700, "has mode 0700, but only its owner may read and write it"),
    ("x", 0o640, "has mode 0640, but only its owner may read and write it"),
    ("x", 0o602, "has mode 0602, but only its owner may read and write it"),
  ])
  func `a file without a password, or that others may read, is rejected`(
    text: String, mode: Int, found: String
  )
    throws
  {
    let error = try #require(throws: ServingStoreError.self) { try password(nil, file: text, mode: mode) }
    #expect(error.code == .cannotOpen && error.address == "redis://h:6379/0")
    #expect(error.found == "the file that NIGHTJAR_REDIS_PASSWORD_FILE names " + found)
  }

  @Test func `a missing file and a directory are rejected, and an empty name is no file`() throws {
    func found(_ path: String) -> String? {
      do throws(ServingStoreError) {
        let password = try RedisPassword.find(in: ["NIGHTJAR_REDIS_PASSWORD_FILE": path], address)
        return password == nil ? "none" : "some"
      } catch {
        return error.found
      }
    }
    #expect(found("") == "none")
    #expect(found(scratch.path)?.hasSuffix("names is not a regular file") == true)
    let missing = found(scratch("none"))
    #expect(missing?.hasSuffix("names cannot be opened: No such file or directory") == true)
  }
}

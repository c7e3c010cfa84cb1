import TestSupport
import Testing

@testable import ServingStore

/// Redis may keep erased people in its files. The user learns which files these are.
@Suite(.enabled(if: RedisServer.isAvailable)) struct RedisRemarksTests {
  private static let dump = "the server's last dump contains erased people until the next dump"
  private static let log =
    "the server's append-only file contains erased people until the server rewrites it"

  @Test(
    arguments: [
      ("", []), ("--save 3600 1", [dump + ", which has been requested"]),
      ("--appendonly yes", [log + ", which has been requested"]),
      ("--rename-command CONFIG HIDDEN", [dump + "; run BGSAVE if the server writes dumps"]),
      (
        "--save 3600 1 --appendonly yes --rename-command BGSAVE HIDDEN --rename-command BGREWRITEAOF HIDDEN2",
        [dump + "; run BGSAVE if the server writes dumps", log + "; run BGREWRITEAOF"]
      ),
    ] as [(String, [String])])
  func `an erasure names the files that may contain erased people`(options: String, remarks: [String]) throws
  {
    let fixture = try RedisFixture(serverWith: options)
    let store = try fixture.store()
    try store.publishPartners(["a": "{}", "b": "{}"])
    let people = ErasedPeople(["users": ["a"]], lists: [:], matches: [:])
    let counted = try store.erase(people, of: "fusion", ErasureOptions(isDryRun: true))
    #expect(counted.lists == 1 && counted.remarks == [])
    let erasure = try store.erase(people, of: "fusion", ErasureOptions())
    #expect(erasure.lists == 1 && erasure.remarks == remarks)
    #expect(try fixture.rows(of: 1) == ["nightjar:{fusion}:1:list:partners:b"])
  }

  /// A rehearsal finds the setting before the night is computed.
  @Test(arguments: [("allkeys-lru", true), ("volatile-lru", false), ("noeviction", false)])
  func `a rehearsal rejects a server that evicts keys`(policy: String, isRejected: Bool) throws {
    let fixture = try RedisFixture(serverWith: "--maxmemory 100mb --maxmemory-policy \(policy)")
    var found: ServingStoreError?
    do {
      try fixture.address.rehearse(pipeline: "fusion")
    } catch {
      found = error as? ServingStoreError
    }
    #expect(found?.code == (isRejected ? .refused : nil))
    #expect(found == nil || found?.found.hasSuffix("(maxmemory-policy is \(policy))") == true)
    #expect(try fixture.keys() == [], "a rehearsal leaves no key")
  }
}

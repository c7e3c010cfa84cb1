import Foundation
import Synthesis
import Testing
import TestSupport

@Suite struct `An export of Finding Friends` {
  private func write(users: Int = 300, checkIns: Int = 1500, seed: UInt64) throws -> (
    files: [Data], summary: FriendsSummary
  ) {
    let directory = try ScratchDirectory()
    let export = try FriendsExport(users: users, checkIns: checkIns, seed: seed)
    let summary = try export.write(into: directory.path)
    return (try export.fileNames.map { try Data(contentsOf: URL(filePath: directory($0))) }, summary)
  }

  @Test func `has the same bytes for the same seed, and other bytes for another`() throws {
    let first = try write(seed: 9)
    #expect(try write(seed: 9).files == first.files)
    #expect(zip(try write(seed: 10).files, first.files).allSatisfy { $0 != $1 })
  }

  @Test func `has the same people for another number of check-ins`() throws {
    #expect(try write(checkIns: 1500, seed: 9).files[0] == write(checkIns: 3000, seed: 9).files[0])
  }

  @Test(arguments: [(10, 10), (10, 1000), (300, 1500), (2000, 12_000)])
  func `has counts that match the files`(users: Int, checkIns: Int) throws {
    let (files, summary) = try write(users: users, checkIns: checkIns, seed: 3)
    #expect(summary.bytes == files.reduce(0) { $0 + $1.count })
    let tables = try files.map { data in
      let page = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
      return try #require(page["results"] as? [[String: Any]])
    }
    #expect(tables.map(\.count) == [summary.users, checkIns, users * 3 / 5])
    #expect(summary.checkIns == checkIns)
    #expect(summary.posts == users * 3 / 5)
    #expect(summary.users == users + summary.usersBreaking[.duplicateID, default: 0])
    // Ids have Parse's format. Only people occur twice.
    let ids = tables.map { $0.compactMap { $0["objectId"] as? String } }
    #expect(ids.joined().allSatisfy { $0.utf8.count == 10 })
    #expect(Set(ids.joined()).count == users + checkIns + users * 3 / 5)
    // The planted invalid times are in the future or on a date that does not exist.
    let times = tables[1].compactMap { $0["createdAt"] as? String }
    let newest = times.filter { !$0.hasPrefix("2099") && !$0.hasPrefix("2026-11-31") }.max()
    #expect(newest == "2026-11-15T22:58:31.000Z")
    if users == 2000 {
      #expect(summary.later > 0 && summary.rejected > 50)
      let rules = Set(summary.usersBreaking.keys).union(summary.checkInsBreaking.keys)
        .union(summary.postsBreaking.keys)
      #expect(
        rules.isSuperset(of: [.missingAttribute, .missingPosition, .unknownOwner, .unknownUser, .badTime]))
    }
  }

  @Test(arguments: [(9, 100), (1_000_001, 5_000_000), (10, 9), (10, 1001), (-1, 0), (.min, .max)])
  func `rejects incompatible sizes`(users: Int, checkIns: Int) {
    #expect(throws: SynthesisError.self) { try FriendsExport(users: users, checkIns: checkIns, seed: 1) }
  }
}

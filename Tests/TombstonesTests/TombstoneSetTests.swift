import Files
import TestSupport
import Testing

@testable import Tombstones

@Test func `a set whose last tombstone is lifted equals an empty set`() throws {
  let scratch = try ScratchDirectory()
  let directory = TombstoneDirectory(scratch("erasures"))
  try directory.add([(Array("u1".utf8), "users")])
  let held = try directory.load()
  #expect(!held.isEmpty && held.count == 1 && held.digest != nil && held.input?.rows == 1)
  try directory.lift([(Array("u1".utf8), "users")])
  let lifted = try directory.load()
  #expect(lifted.isEmpty && lifted.count == 0 && lifted.digest == nil && lifted.input == nil)
}

import Foundation
import TestSupport
import Testing

@testable import Files

/// The permissions of files for other accounts.
@Suite struct FileAccessTests {
  private static func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? Int)
  }

  @Test(
    arguments: [(0o600, 0o700), (0o640, 0o750), (0o644, 0o755), (0o660, 0o770), (0o664, 0o775)]
      as [(UInt32, Int)])
  func `a file has its mode, and its folder can be opened by the same accounts`(_ mode: UInt32, _ folder: Int)
    throws
  {
    let scratch = try ScratchDirectory()
    let access = FileAccess(mode: mode, group: getgid())
    // The second time, the folder and the file already exist.
    for _ in 0..<2 {
      try Directories.create(scratch("reports"), access)
      try Directories.replace(scratch("reports/a.html"), with: [1], access)
      #expect(try Self.mode(scratch("reports")) == folder)
      #expect(try Self.mode(scratch("reports/a.html")) == Int(mode))
    }
  }

  @Test func `groups have names and numbers`() {
    #expect(FileAccess.group(named: "root") == 0 && FileAccess.group(named: "12") == 12)
    #expect(FileAccess.group(named: "no such group") == nil)
  }
}

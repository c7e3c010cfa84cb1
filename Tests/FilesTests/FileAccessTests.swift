import Foundation
import Glibc
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

  @Test func `a changed mode or group of a folder is set again`() throws {
    let scratch = try ScratchDirectory()
    // Only the superuser may choose any group.
    let groups: [UInt32] = geteuid() == 0 ? [1, 2, 2] : [getgid(), getgid(), getgid()]
    for (mode, group) in zip([0o640, 0o640, 0o644] as [UInt32], groups) {
      let access = FileAccess(mode: mode, group: group)
      try Directories.create(scratch("reports"), access)
      try Directories.replace(scratch("reports/a.html"), with: [1], access)
      for name in ["reports", "reports/a.html"] {
        var status = stat()
        let code = stat(scratch(name), &status)
        try #require(code == 0)
        #expect(status.st_gid == group && status.st_uid == geteuid(), "\(name)")
      }
      #expect(try Self.mode(scratch("reports")) == (mode == 0o640 ? 0o750 : 0o755))
      #expect(try Self.mode(scratch("reports/a.html")) == Int(mode))
    }
    // Without an access, an existing folder keeps its mode.
    try Directories.create(scratch("reports"), nil)
    #expect(try Self.mode(scratch("reports")) == 0o755)
  }
}

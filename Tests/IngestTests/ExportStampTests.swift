import Files
import Glibc
import Testing
import TestSupport

@testable import Ingest

struct ExportStampTests {
  /// Returns whether the time of the last change could be set.
  private static func setTime(of path: String, _ seconds: Int, _ nanoseconds: Int) -> Bool {
    let time = timespec(tv_sec: seconds, tv_nsec: nanoseconds)
    return utimensat(AT_FDCWD, path, [time, time], 0) == 0
  }

  @Test func `an unchanged export passes`() throws {
    let scratch = try ScratchDirectory()
    try scratch.write("a,b\n", to: "x.csv")
    let path = scratch("x.csv")
    try ExportStamp.check([(path, try #require(ExportStamp(path)))])
  }

  @Test func `an error names an export that grew, was replaced or was removed`() throws {
    let scratch = try ScratchDirectory()
    let path = scratch("x.csv")
    for change in ["grown", "replaced", "gone"] {
      try scratch.write("a,b\n", to: "x.csv")
      let before = try #require(ExportStamp(path))
      switch change {
      case "grown": try scratch.write("a,b\n1,2\n", to: "x.csv")
      case "replaced": try Directories.replace(path, with: Array("a,b\n".utf8))
      default: try Directories.remove(path)
      }
      let error = #expect(throws: FileError.self) { try ExportStamp.check([(path, before)]) }
      #expect(error?.path == path, "\(change)")
    }
  }

  /// A program may write the same number of bytes into the same file. Only the time then shows the change.
  @Test(arguments: [(1_700_000_000, 5, true), (1_700_000_000, 6, false), (1_700_000_001, 5, false)])
  func `a file with another time has changed`(seconds: Int, nanoseconds: Int, isSame: Bool) throws {
    let scratch = try ScratchDirectory()
    let path = try scratch.write("a,b\n", to: "x.csv")
    try #require(Self.setTime(of: path, 1_700_000_000, 5))
    let before = try #require(ExportStamp(path))
    #expect(before.bytes == 4 && before.modified == 1_700_000_000)
    try #require(Self.setTime(of: path, seconds, nanoseconds))
    #expect((ExportStamp(path) == before) == isSame)
  }

  @Test func `a longer file with the same time has changed`() throws {
    let scratch = try ScratchDirectory()
    let path = try scratch.write("a,b\n", to: "x.csv")
    try #require(Self.setTime(of: path, 1_700_000_000, 0))
    let before = try #require(ExportStamp(path))
    try scratch.write("a,b\n1,2\n", to: "x.csv")
    try #require(Self.setTime(of: path, 1_700_000_000, 0))
    let error = #expect(throws: FileError.self) { try ExportStamp.check([(path, before)]) }
    #expect(error?.reason == "it changed while it was being read")
  }

  @Test func `a missing export has no stamp`() {
    #expect(ExportStamp("/nonexistent/x.csv") == nil)
  }

  @Test func `a device or a directory has no stamp`() {
    for path in ["/dev/null", "/"] { #expect(ExportStamp(path) == nil) }
  }
}

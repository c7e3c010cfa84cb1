import Files
import Testing
import TestSupport

@testable import Ingest

struct ExportStampTests {
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

  @Test func `a missing export has no stamp`() {
    #expect(ExportStamp("/nonexistent/x.csv") == nil)
  }

  @Test func `a device or a directory has no stamp`() {
    for path in ["/dev/null", "/"] { #expect(ExportStamp(path) == nil) }
  }
}

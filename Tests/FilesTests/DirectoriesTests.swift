import Concurrency
import Foundation
import Testing
import TestSupport

@testable import Columns
@testable import Files
@testable import RunSchemas
@testable import Text

@Suite struct DirectoriesTests {
  let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  private var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted()) ?? []
  }

  @Test func `replacing leaves the new content and no other file`() throws {
    for text in ["one", "", "three"] {
      try Directories.replace(scratch("x"), with: Array(text.utf8))
      #expect(try scratch.text("x") == text)
      #expect(names == ["x"])
    }
  }

  @Test func `a reader of the replaced file keeps the old content`() throws {
    try Directories.replace(scratch("x"), with: Array("old".utf8))
    let old = try MappedFile(scratch("x"))
    try Directories.replace(scratch("x"), with: Array("newer".utf8))
    #expect(old.bytes.withUnsafeBytes { Array($0) } == Array("old".utf8))
  }

  @Test func `a failed replacement leaves no temporary file`() throws {
    try scratch.write("in the way", to: "x/file")
    let error = #expect(throws: FileError.self) { try Directories.replace(scratch("x"), with: [1]) }
    #expect(error?.operation == .write)
    #expect(names == ["x"])
  }

  @Test func `a link moves from one target to the next`() throws {
    for target in ["runs/1", "runs/2"] {
      try Directories.link(scratch("latest"), to: target)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: scratch("latest")) == target)
      #expect(names == ["latest"])
    }
  }

  @Test func `a link does not replace a directory`() throws {
    try scratch.write("x", to: "latest/file")
    #expect(throws: FileError.self) { try Directories.link(scratch("latest"), to: "runs/1") }
    #expect(scratch.files == ["latest/file"])
  }

  @Test func `an error names a file that is in place of a directory`() throws {
    let path = try scratch.write("x", to: "file")
    for wanted in [path, path + "/below"] {
      let error = #expect(throws: FileError.self) { try Directories.create(wanted) }
      #expect(error?.operation == .create)
      #expect(error?.path == path)
    }
  }

  @Test func `moving onto an existing path is rejected`() throws {
    try scratch.write("a", to: "a/x")
    try scratch.write("b", to: "b/x")
    let error = #expect(throws: FileError.self) {
      try Directories.moveIntoPlace(scratch("a"), to: scratch("b"))
    }
    #expect(error?.operation == .create)
    #expect(scratch.files == ["a/x", "b/x"])
  }

  @Test func `a folder that cannot be listed is an error, not an empty folder`() throws {
    for name in ["none", "file", "file/below"] {
      try scratch.write("x", to: "file")
      let error = #expect(throws: FileError.self) { _ = try Directories.names(in: scratch(name)) }
      #expect(error?.path == scratch(name) && error?.operation == (name == "none" ? .find : .read), "\(name)")
    }
  }

  @Test func `names are sorted by bytes and include hidden ones`() throws {
    for name in ["b", "B", "é", ".hidden", "a"] { try scratch.write("", to: name) }
    #expect(try Directories.names(in: scratch.path) == [".hidden", "B", "a", "b", "é"])
    #expect(throws: FileError.self) { _ = try Directories.names(in: scratch("none")) }
  }

  @Test(arguments: [
    ("a", "."), ("/a", "/"), ("a/b", "a"), ("/a/b", "/a"), ("../x", ".."), ("a/b/c", "a/b"),
  ])
  func `a path has a parent`(path: String, parent: String) {
    #expect(Directories.parent(of: path) == parent)
  }
}

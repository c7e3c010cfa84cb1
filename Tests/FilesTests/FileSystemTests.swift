import Foundation
import System
import TestSupport
import Testing
import Text

@testable import Files

/// Files and directories outside of stage directories.
struct FileSystemTests {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  /// Returns the operation of the error that `body` throws, and the reason that the system gives.
  private func error(_ body: () throws -> Void) throws -> (FileError.Operation, String) {
    let error = try #require(throws: FileError.self) { try body() }
    return (error.operation, error.reason)
  }

  @Test func `a directory is created with its parents, unless a file is in the way`() throws {
    // The path `new/.` names the directory `new` itself.
    for path in ["a/b/c", "a/b/c", "a/b/d/", "new/.", "new/e/../f"] {
      try Directories.create(scratch(path))
      #expect(Directories.isDirectory(scratch(path)), "\(path)")
    }
    try scratch.write("", to: "file")
    #expect(
      try error { try Directories.create(scratch("file")) } == (
        .create, "it exists, but is not a directory"
      ))
    #expect(!Directories.isDirectory(scratch("file")) && Directories.exists(scratch("file")))
  }

  @Test func `an error for a missing path contains the system's reason`() throws {
    #expect(try error { try Directories.sync(scratch("none")) } == (.write, "No such file or directory"))
    #expect(
      try error { _ = try Directories.names(in: scratch("none")) } == (.find, "No such file or directory"))
    #expect(try error { _ = try MappedFile(scratch("none")) } == (.find, "No such file or directory"))
    #expect(try error { _ = try MappedFile(scratch.path) } == (.read, "it is not a regular file"))
    #expect(try error { try Directories.linkTree(scratch("none"), to: scratch("to")) }.0 == .find)
    try Directories.remove(scratch("none"))
  }

  @Test func `a tree is removed with its links, and their targets stay`() throws {
    try scratch.write("x", to: "kept/file")
    try scratch.write("x", to: "tree/deep/er/file")
    try scratch.write("x", to: "tree/.hidden")
    try Directories.link(scratch("tree/link"), to: "../kept")
    try Directories.remove(scratch("tree"))
    #expect(scratch.files == ["kept/file"])
    try Directories.remove(scratch("kept/file/no directory"))
    #expect(scratch.files == ["kept/file"])
  }

  /// The test runs in a process of its own, because it removes the outputs of all other tests too.
  @Test func `a stopped program removes all its unfinished outputs and nothing else`() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let own = try ScratchDirectory(untilExit: true)
      for name in ["a/deep/file", "b/file", "c", "complete/file", "other"] { try own.write("x", to: name) }
      for name in ["a", "b", "c", "complete"] { PartialOutputs.begin(own(name)) }
      PartialOutputs.end(own("complete"))
      PartialOutputs.removeAll()
      exit(own.files == ["complete/file", "other"] ? 0 : 1)
    }
  }

  @Test func `linking a tree makes hard links to the same files`() throws {
    try scratch.write("x", to: "from/a/b")
    try scratch.write("y", to: "from/c")
    try Directories.linkTree(scratch("from"), to: scratch("to"))
    func number(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: scratch(path))[.systemFileNumber] as? Int
    }
    for name in ["a/b", "c"] { #expect(try number("from/" + name) == number("to/" + name)) }
    #expect(
      try error { try Directories.linkTree(scratch("from/c"), to: scratch("to/c")) } == (
        .create, "File exists"
      ))
  }

  @Test(arguments: [("a/b/c", "a/b", "c"), ("/a", "/", "a"), ("a", ".", "a"), ("a/", "a", "")])
  func `a path has a parent and a name`(path: String, parent: String, name: String) {
    #expect(Directories.parent(of: path) == parent && Directories.name(of: path) == name)
  }

  @Test(arguments: [[], [7], Array(1...255)] as [[UInt8]])
  func `a copy in memory has all bytes`(bytes: [UInt8]) {
    let file = MappedFile(copying: bytes.span.bytes)
    #expect(file.bytes.byteCount == bytes.count)
    for index in bytes.indices {
      #expect(file.bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self) == bytes[index])
    }
  }

  @Test(arguments: ["", "a\n", "\n\nb\n", "one\ntwo\n"])
  func `each line is visited once, without its end`(text: String) throws {
    var lines: [String] = []
    let path = try scratch.write(text, to: "lines")
    try MappedFile(path).forEachLine(
      { lines.append(String(decoding: Array(copying: $0), as: UTF8.self)) }, path: path)
    #expect(
      lines == text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init))
  }

  @Test(arguments: ["a", "a\nb"])
  func `a last line without a line end is an error`(text: String) throws {
    let path = try scratch.write(text, to: "lines")
    #expect(
      try error { try MappedFile(path).forEachLine({ _ in }, path: path) } == (
        .read, "its last line is truncated, so the run is damaged"
      ))
  }

  @Test func `a path below the current directory is shown relative to it`() {
    let here = FileManager.default.currentDirectoryPath
    for (path, shown) in [
      ("x/y.txt", "x/y.txt"), ("./x/../y", "y"), (here + "/z", "z"), (here, here),
      (here + "x/z", here + "x/z"),
      ("/", "/"),
    ] {
      #expect(ShownPath.short(path) == shown)
    }
  }

  @Test(
    arguments: [
      (.read, ENOENT, .missingInput, "path"), (.write, ENOENT, .ioError, "path"),
      (.read, EIO, .ioError, "disk"), (.read, EMFILE, .ioError, "ulimit -n"), (.read, EINVAL, .ioError, ""),
      (.create, EACCES, .cannotCreate, "permissions"), (.write, ENOSPC, .ioError, "Free some space"),
      (.write, EROFS, .ioError, "permissions"),
    ] as [(FileError.Operation, Int32, System.ExitStatus, String)])
  func `an error has the status of its operation, and advice`(
    operation: FileError.Operation, code: Int32, status: System.ExitStatus, advice: String
  ) {
    let error = FileError(operation, "p", errno: code)
    #expect(error.exitStatus == status)
    #expect(advice.isEmpty ? error.advice.isEmpty : error.advice.contains(advice))
  }
}

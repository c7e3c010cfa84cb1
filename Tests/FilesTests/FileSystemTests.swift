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
    // A named pipe without a writer must not block.
    try #require(mkfifo(scratch("pipe"), 0o600) == 0)
    #expect(try error { _ = try MappedFile(scratch("pipe")) } == (.read, "it is not a regular file"))
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
      (.read, ENOENT, .missingInput, "Check the path."), (.write, ENOENT, .ioError, "Check the path."),
      (.find, ENOENT, .missingInput, "Check the path."), (.read, ENOTDIR, .ioError, "Check the path."),
      (.read, EIO, .ioError, "Check the disk."), (.read, EINVAL, .ioError, ""),
      (
        .read, EMFILE, .ioError,
        "Raise the open file limit with 'ulimit -n' in a shell, or with LimitNOFILE in a systemd service."
      ),
      (
        .create, ENFILE, .cannotCreate,
        "Raise the open file limit with 'ulimit -n' in a shell, or with LimitNOFILE in a systemd service."
      ),
      (.read, EACCES, .ioError, "Check the permissions."),
      (.create, EACCES, .cannotCreate, "Check the permissions, or choose another directory."),
      (.write, EPERM, .ioError, "Check the permissions, or choose another directory."),
      (.write, EROFS, .ioError, "Check the permissions, or choose another directory."),
      (.write, ENOSPC, .ioError, "Free some space, or choose another directory."),
      (.write, EDQUOT, .ioError, "Free some space, or choose another directory."),
    ] as [(FileError.Operation, Int32, System.ExitStatus, String)])
  func `an error has the status of its operation, and advice`(
    operation: FileError.Operation, code: Int32, status: System.ExitStatus, advice: String
  ) {
    let error = FileError(operation, "p", errno: code)
    #expect(error.exitStatus == status)
    #expect(error.advice == advice)
    #expect(error.path == "p" && error.reason == String(cString: strerror(code)))
    // Only a missing file that cannot be read counts as not found.
    #expect(error.operation == (operation == .read && code == ENOENT ? .find : operation))
  }

  @Test func `a message has the operation, the path, the reason and the advice`() {
    #expect(FileError(.create, "a/b", reason: "it is odd").description == "cannot create 'a/b': it is odd.")
    #expect(
      FileError(.write, "a/b", reason: "it is odd", advice: "Do it.").description
        == "cannot write 'a/b': it is odd. Do it.")
    let damaged = FileError(damaged: "a", "it is short")
    #expect(damaged.exitStatus == .ioError)
    #expect(
      damaged.description == "cannot read 'a': it is short, so the run is damaged. "
        + "Run 'nightjar doctor' to find the stage from which to start again.")
  }

  @Test func `a link, its target and a missing path are distinguished`() throws {
    try scratch.write("x", to: "folder/file")
    try Directories.link(scratch("link"), to: "folder")
    try Directories.link(scratch("gone"), to: "nowhere")
    func found(_ name: String) -> [Bool] {
      let path = scratch(name)
      return [
        Directories.exists(path), Directories.isEntry(path), Directories.isLink(path),
        Directories.isDirectory(path),
      ]
    }
    #expect(found("folder") == [true, true, false, true])
    #expect(found("folder/file") == [true, true, false, false])
    #expect(found("link") == [true, true, true, true])
    #expect(found("gone") == [false, true, true, false])
    #expect(found("none") == [false, false, false, false])
  }

  @Test func `only the links on a path are resolved`() throws {
    try scratch.write("x", to: "folder/file")
    try Directories.link(scratch("link"), to: "folder")
    let file = Directories.resolved(scratch("folder/file"))
    #expect(file.hasSuffix("/folder/file"))
    #expect(Directories.resolved(scratch("link/file")) == file)
  }

  @Test func `leftovers of a killed process do not disturb the next one`() throws {
    let number = getpid()
    try scratch.write("stale", to: "file.\(number).partial")
    try Directories.replace(scratch("file"), with: Array("new".utf8))
    try scratch.write("stale", to: "link.\(number).partial")
    try Directories.link(scratch("link"), to: "file")
    try scratch.write("stale", to: ".copy.partial/stale")
    try scratch.write("x", to: "from/deep/x")
    try Directories.linkFiles(of: scratch("from"), to: scratch("copy"))
    #expect(scratch.files == ["copy/deep/x", "file", "from/deep/x", "link"])
    #expect(try scratch.text("link") == "new")
  }

  @Test func `files are linked into a new directory only`() throws {
    try scratch.write("x", to: "from/deep/x")
    try scratch.write("y", to: "from/y")
    try scratch.write("old", to: "to/old")
    #expect(
      try error { try Directories.linkFiles(of: scratch("from"), to: scratch("to")) } == (
        .create, "it already exists, and complete directories are never overwritten"
      ))
    try Directories.remove(scratch(".to.partial"))
    #expect(scratch.files == ["from/deep/x", "from/y", "to/old"])
    try Directories.linkFiles(of: scratch("from"), to: scratch("new"))
    for name in ["deep/x", "y"] {
      let numbers = try ["from/", "new/"].map { folder in
        try FileManager.default.attributesOfItem(atPath: scratch(folder + name))[.systemFileNumber] as? Int
      }
      #expect(numbers[0] == numbers[1], "\(name)")
    }
  }

  @Test func `a file that cannot be renamed is removed`() throws {
    try scratch.write("x", to: "folder/x")
    try scratch.write("y", to: "y")
    #expect(try error { try Directories.rename(scratch("y"), over: scratch("folder")) }.0 == .write)
    #expect(scratch.files == ["folder/x"])
    try scratch.write("y", to: "y")
    try Directories.rename(scratch("y"), over: scratch("folder/x"))
    #expect(scratch.files == ["folder/x"])
    #expect(try scratch.text("folder/x") == "y")
  }

  @Test func `a directory replaces another one completely`() throws {
    try scratch.write("new", to: "new/file")
    try scratch.write("old", to: "old/gone/file")
    try Directories.moveIntoPlace(scratch("new"), replacing: scratch("old"))
    #expect(scratch.files == ["old/file"])
    #expect(try scratch.text("old/file") == "new")
    #expect(!Directories.isEntry(scratch("new")))
    try scratch.write("new", to: "new/file")
    #expect(
      try error { try Directories.moveIntoPlace(scratch("new"), replacing: scratch("none")) } == (
        .create, "No such file or directory"
      ))
    #expect(scratch.files == ["new/file", "old/file"])
  }

  /// The superuser can remove files from any directory.
  @Test func `the first directory whose files cannot be removed is found`() throws {
    for name in ["tree/a/x", "tree/b/c/x", "tree/d/x"] { try scratch.write("x", to: name) }
    try FileManager.default.createDirectory(
      atPath: scratch("tree/a/empty"), withIntermediateDirectories: false)
    #expect(Directories.obstacle(toRemoving: scratch("tree")) == nil)
    #expect(Directories.obstacle(toRemoving: scratch("none")) == nil)
    #expect(Directories.obstacle(toRemoving: scratch("tree/a/x")) == nil)
    let names = ["tree/a/empty", "tree/b/c", "tree/d"]
    for name in names { chmod(scratch(name), 0o500) }
    defer { for name in names { chmod(scratch(name), 0o700) } }
    let found = Directories.obstacle(toRemoving: scratch("tree"))
    #expect(found == (geteuid() == 0 ? nil : scratch("tree/b/c")))
  }
}

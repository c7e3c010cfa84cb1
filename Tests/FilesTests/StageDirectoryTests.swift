import Concurrency
import Foundation
import Testing
import TestSupport

@testable import Columns
@testable import Files
@testable import RunSchemas
@testable import Text

@Suite struct StageDirectoryTests {
  let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  @Test func `a stage directory is absent until it is complete, and no other file remains`() throws {
    var directory = try StageDirectory("s", in: scratch.path)
    try directory.write("deep/er/a.txt") { (writer) throws(FileError) in try writer.append("a") }
    #expect(!scratch.exists("s"))
    _ = try directory.complete(.plain)
    #expect(scratch.files == ["s/deep/er/a.txt", "s/manifest.json"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["s"])
  }

  @Test func `missing parent directories are created`() throws {
    let directory = try StageDirectory("s", in: scratch("a/b/c"))
    _ = try directory.complete(.plain)
    #expect(scratch.files == ["a/b/c/s/manifest.json"])
  }

  /// The writer first preallocates disk space after 32 MiB. Three lengths are near this limit, and one
  /// is three times as long.
  @Test(arguments: [(1 << 25) - 1, 1 << 25, (1 << 25) + 1, 3 << 25])
  func `a long file has exactly the bytes written`(count: Int) throws {
    var bytes = [UInt8](repeating: 90, count: count)
    for index in stride(from: 0, to: count, by: 4099) { bytes[index] = UInt8(truncatingIfNeeded: index) }
    var directory = try StageDirectory("s", in: scratch.path)
    try directory.write("long") { (writer) throws(FileError) in
      for start in stride(from: 0, to: count, by: 77_777) {
        unsafe try writer.append(bytes.span.extracting(start..<min(start + 77_777, count)).bytes)
      }
    }
    var column = try directory.open("column.npy", UInt8.self, count: count)
    for start in stride(from: 0, to: count, by: 1 << 20) {
      try column.append(Array(bytes[start..<min(start + 1 << 20, count)]))
    }
    try directory.close(column)
    try directory.write("at once") { (writer) throws(FileError) in
      try writer.append([1])
      try writer.append(bytes)
      try writer.append([2])
    }
    let manifest = try directory.complete(.plain)
    // The tests are not optimized, so comparing arrays of this length takes seconds.
    let whole = Data(bytes)
    #expect(try scratch.data("s/long") == whole)
    #expect(try scratch.data("s/at once") == [1] + whole + [2])
    #expect(try scratch.data("s/column.npy").suffix(count) == whole)
    for file in manifest.outputs {
      let written = try scratch.bytes("s/" + file.path)
      #expect(written.count == file.bytes && SHA256.digest(of: written) == file.sha256)
    }
  }

  /// The directory has more files than the writer keeps open. Each file is longer than a buffer.
  @Test func `many files are complete`() throws {
    var directory = try StageDirectory("s", in: scratch.path)
    for number in 0..<300 {
      try directory.write("d\(number % 7)/\(number).txt") { (writer) throws(FileError) in
        try writer.append(String(repeating: "\(number) ", count: 1000))
      }
    }
    let manifest = try directory.complete(.plain)
    #expect(manifest.outputs.count == 300)
    for file in manifest.outputs {
      #expect(SHA256.digest(of: try scratch.bytes("s/" + file.path)) == file.sha256)
    }
  }

  @Test(arguments: [1, 2, 8])
  func `files written on several threads are complete`(threads: Int) throws {
    var directory = try StageDirectory("s", in: scratch.path)
    var bodies: [StageDirectory.Body] = []
    // The directory has more files than are synced at a time.
    for number in 0..<70 {
      let body: StageDirectory.Body = { (directory) throws(FileError) in
        try Column.write(
          [UInt32](repeating: UInt32(number), count: number), to: "c/\(number).npy", in: &directory)
        try StringColumn.write([[UInt8(number)]], to: "d\(number % 3)/\(number)", in: &directory)
      }
      bodies.append(body)
    }
    try directory.writeTogether(threads: threads, bodies)
    let manifest = try directory.complete(.plain)
    #expect(manifest.outputs.count == 210)
    for file in manifest.outputs {
      #expect(SHA256.digest(of: try scratch.bytes("s/" + file.path)) == file.sha256)
    }
    for number in 0..<70 {
      let column = try Column<UInt32>(scratch("s/c/\(number).npy"))
      #expect(column.elements == Array(repeating: UInt32(number), count: number))
    }
  }

  @Test(arguments: [1, 4])
  func `the first failing task is reported, and no file remains`(threads: Int) throws {
    do {
      var directory = try StageDirectory("s", in: scratch.path)
      var bodies: [StageDirectory.Body] = []
      for number in 0..<9 {
        let body: StageDirectory.Body = { (directory) throws(FileError) in
          if number == 3 || number == 5 { throw FileError(.write, "file \(number)", reason: "none") }
          try Column.write([1.0], to: "\(number).npy", in: &directory)
        }
        bodies.append(body)
      }
      let error = #expect(throws: FileError.self) { try directory.writeTogether(threads: threads, bodies) }
      #expect(error?.path == "file 3")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == [])
  }

  @Test func `a failed sync is a write error with its path`() throws {
    // A pipe accepts bytes but has no disk, so it cannot be synced.
    let path = scratch("pipe")
    try #require(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDONLY | O_NONBLOCK)
    let descriptor = open(path, O_WRONLY)
    // The writer closes `descriptor` itself.
    defer { close(reader) }
    try #require(descriptor >= 0)
    var syncs = PendingSyncs()
    let writer = FileWriter(descriptor: descriptor, path: path)
    _ = try writer.finish(as: "pipe", syncedBy: &syncs)
    do throws(FileError) {
      try syncs.finish()
      Issue.record("a pipe was synced")
    } catch {
      #expect(error.operation == .write && error.path == path)
    }
    // A failed sync is not retried.
    try syncs.finish()
  }

  @Test func `an existing directory is rejected and unchanged`() throws {
    try scratch.write("old", to: "s/file")
    let error = #expect(throws: FileError.self) { _ = try StageDirectory("s", in: scratch.path) }
    #expect(error?.operation == .create)
    #expect(scratch.files == ["s/file"])
  }

  @Test func `a directory that appears meanwhile is not overwritten`() throws {
    let error = #expect(throws: FileError.self) {
      let directory = try StageDirectory("s", in: scratch.path)
      try scratch.write("other", to: "s/file")
      _ = try directory.complete(.plain)
    }
    #expect(error?.operation == .create)
    #expect(try scratch.text("s/file") == "other")
  }

  @Test func `leftovers of a dead process are removed`() throws {
    try scratch.write("stale", to: ".s.partial/sub/file")
    var directory = try StageDirectory("s", in: scratch.path)
    try directory.write("new") { (_) throws(FileError) in }
    _ = try directory.complete(.plain)
    #expect(scratch.files == ["s/manifest.json", "s/new"])
  }

  @Test func `an existing directory can be replaced, and the hidden name can be chosen`() throws {
    try scratch.write("old", to: "s/old")
    try scratch.write("stale", to: ".other/stale")
    let message = "it already exists, and complete directories are never overwritten"
    let error = #expect(throws: FileError.self) { _ = try StageDirectory("s", in: scratch.path) }
    #expect(error?.reason == message && error?.path == scratch("s"))
    #expect(scratch.files == [".other/stale", "s/old"])
    var directory = try StageDirectory("s", in: scratch.path, hidden: ".other", replaces: true)
    try directory.write("deep/new") { (writer) throws(FileError) in try writer.append("new") }
    let (path, written) = (directory.path, directory.written("deep/new"))
    #expect(path == scratch("s") && written == scratch(".other/deep/new"))
    #expect(scratch.files == [".other/deep/new", "s/old"])
    let place = try directory.place("deep/more/file")
    #expect(place == scratch(".other/deep/more/file"))
    #expect(Directories.isDirectory(scratch(".other/deep/more")))
    let manifest = try directory.complete(.plain)
    #expect(manifest.outputs.map(\.path) == ["deep/new"])
    #expect(scratch.files == ["s/deep/new", "s/manifest.json"])
    #expect(try Directories.names(in: scratch.path) == ["s"])
  }

  @Test func `files that are written in place are listed with the others`() throws {
    var directory = try StageDirectory("s", in: scratch.path)
    try directory.write("b", rows: 2) { (writer) throws(FileError) in try writer.append("b") }
    let own = [
      FileDigest(path: "c", bytes: 3, sha256: "cc", rows: 1), FileDigest(path: "a", bytes: 1, sha256: "aa"),
    ]
    directory.add(own)
    try directory.write("e", "d") { (one, other) throws(FileError) in
      try one.append("first")
      try other.append("second")
    }
    let manifest = try directory.complete(.plain)
    #expect(manifest.outputs.map(\.path) == ["a", "b", "c", "d", "e"])
    #expect(manifest.outputs.map(\.rows) == [nil, 2, 1, nil, nil])
    #expect(manifest.outputs[0] == own[1] && manifest.outputs[2] == own[0])
    #expect(try scratch.text("s/e") == "first")
    #expect(try scratch.text("s/d") == "second")
  }

  @Test func `discarding leaves nothing`() throws {
    var directory = try StageDirectory("s", in: scratch.path)
    try directory.write("new") { (_) throws(FileError) in }
    try directory.discard()
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
  }

  @Test func `a failing stage leaves nothing`() throws {
    #expect(throws: FileError.self) {
      var directory = try StageDirectory("s", in: scratch.path)
      try directory.write("new") { (_) throws(FileError) in }
      throw FileError(.read, "x", reason: "a later step failed")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
  }

  @Test func `a name cannot be written twice`() throws {
    var directory = try StageDirectory("s", in: scratch.path)
    try directory.write("x") { (_) throws(FileError) in }
    var operation: FileError.Operation?
    do throws(FileError) {
      try directory.write("x") { (_) throws(FileError) in }
    } catch {
      operation = error.operation
    }
    #expect(operation == .create)
    try directory.discard()
  }

  @Test(.enabled(if: Command.path(of: "sha256sum") != nil, "needs sha256sum"), arguments: [nil, "_SUCCESS"])
  func `the manifest lists every file with its size and digest`(marker: String?) throws {
    var directory = try StageDirectory("s", in: scratch.path)
    try directory.write("b/large", rows: 3) { (writer) throws(FileError) in
      for _ in 0..<3 { try writer.append([UInt8](repeating: 0x5A, count: 200_000)) }
      try writer.append([UInt8](repeating: 1, count: 300_000))
      try writer.append("end")
    }
    try directory.write("a") { (_) throws(FileError) in }
    try directory.write("b.txt") { (writer) throws(FileError) in try writer.append("é\n") }
    try directory.adopt("c/adopted") { path in
      try Data("x".utf8).write(to: URL(filePath: path))
      return 5
    }
    let manifest = try directory.complete(.plain, marker: marker)

    let listed = Set(manifest.outputs.map { "s/" + $0.path })
    #expect(listed == Set(scratch.files).subtracting(["s/manifest.json"]))
    #expect(listed.contains("s/_SUCCESS") == (marker != nil))
    #expect(manifest.outputs.map(\.path) == manifest.outputs.map(\.path).sorted())
    #expect(manifest.outputs.first { $0.path == "b/large" }?.rows == 3)
    #expect(manifest.outputs.first { $0.path == "c/adopted" }?.rows == 5)
    for output in manifest.outputs {
      let (printed, status) = try Command.run("sha256sum", [scratch("s/" + output.path)])
      #expect(status == 0)
      #expect(printed.hasPrefix(output.sha256 + " "), "\(output.path)")
      let bytes = try scratch.bytes("s/" + output.path)
      #expect(bytes.count == output.bytes)
      #expect(output.crc32c == BlockChecksums(of: bytes.span.bytes), "\(output.path)")
    }
    #expect(try Manifest(of: scratch("s")) == manifest)
    #expect(try Command.run("sha256sum", [scratch("s/manifest.json")]).output.hasPrefix(manifest.digest))
  }
}

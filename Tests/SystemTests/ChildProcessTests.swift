import Foundation
import Glibc
import Synchronization
import Testing

@testable import System

struct ChildProcessTests {
  /// Runs `script` in `sh` and returns the result and the output.
  private func run(
    _ script: String, environment: [String]? = nil, directory: String? = nil,
    sharing: ChildProcess.Sharing = .streams
  ) throws -> (ended: ChildProcess.Ended, output: String) {
    let pipe = try ChildProcess.pipe()
    let child = try ChildProcess(
      path: "/bin/sh", arguments: ["-c", script], environment: environment, directory: directory,
      streams: (0, pipe.write, 2), sharing: sharing)
    close(pipe.write)
    defer { close(pipe.read) }
    let output = ChildProcess.output(of: pipe.read)
    return (child.wait(), String(decoding: output, as: UTF8.self))
  }

  @Test func `the end of a child is a status or a signal, with its peak memory`() throws {
    let status = try run("echo out; exit 7")
    #expect(status.ended.ending == .status(7) && status.output == "out\n")
    #expect(status.ended.peakMemory > 100_000)
    #expect(try run("kill -TERM $$").ended.ending == .signal(SIGTERM))
  }

  @Test func `a child gets its arguments, environment and directory`() throws {
    #expect(try run("echo $WORD", environment: ["WORD=a b"]).output == "a b\n")
    setenv("NIGHTJAR_CHILD_TEST", "inherited", 1)
    #expect(try run("echo $NIGHTJAR_CHILD_TEST").output == "inherited\n")
    #expect(try run("pwd", directory: "/proc").output == "/proc\n")
  }

  @Test func `descriptors are inherited only by a child that shares everything`() throws {
    let pipe = try ChildProcess.pipe()
    defer { for end in [pipe.read, pipe.write] { close(end) } }
    let inherited = dup(pipe.write)
    defer { close(inherited) }
    let script = "for n in \(inherited) \(pipe.write); do [ -e /proc/self/fd/$n ] && echo $n; done; true"
    #expect(try run(script, sharing: .everything).output == "\(inherited)\n")
    #expect(try run(script, sharing: .streams).output == "")
  }

  @Test func `only a child that shares everything stays in the process group`() throws {
    let script = "cut -d' ' -f5 /proc/self/stat"
    #expect(try run(script, sharing: .everything).output == "\(getpgrp())\n")
    #expect(try run(script, sharing: .streams).output != "\(getpgrp())\n")
  }

  @Test func `a program that cannot be executed is a failure with the system's reason`() {
    let absent = #expect(throws: ChildProcess.StartFailure.self) {
      try ChildProcess(path: "/nowhere/program", arguments: [], streams: (0, 1, 2), sharing: .streams)
    }
    #expect(absent?.errno == ENOENT)
    let directory = #expect(throws: ChildProcess.StartFailure.self) {
      try ChildProcess(path: "/proc", arguments: [], streams: (0, 1, 2), sharing: .everything)
    }
    #expect(directory?.errno == EACCES)
  }

  @Test func `a child that is stopped ends with its children`() throws {
    let pipe = try ChildProcess.pipe()
    let child = try ChildProcess(
      path: "/bin/sh", arguments: ["-c", "sleep 1000 & echo started; wait"],
      streams: (0, pipe.write, 2), sharing: .streams)
    close(pipe.write)
    defer { close(pipe.read) }
    var buffer = [UInt8](repeating: 0, count: 8)
    #expect(read(pipe.read, &buffer, 8) == 8)
    child.send(SIGKILL)
    #expect(child.wait().ending == .signal(SIGKILL))
    // The output ends, because `sleep`, which held it open, is dead too.
    #expect(ChildProcess.output(of: pipe.read).isEmpty)
    child.send(SIGKILL)
    #expect(child.wait().ending == .signal(SIGKILL), "the result stays the same")
  }

  @Test func `output is read to its end, and kept up to a limit`() throws {
    let pipe = try ChildProcess.pipe()
    let child = try ChildProcess(
      path: "/bin/sh", arguments: ["-c", "head -c 300000 /dev/zero"], streams: (0, pipe.write, 2),
      sharing: .streams)
    close(pipe.write)
    defer { close(pipe.read) }
    #expect(ChildProcess.output(of: pipe.read, keeping: 10).count == 10)
    #expect(child.wait().ending == .status(0))
  }

  @Test func `a child dies with the thread that started it`() throws {
    let pipe = try ChildProcess.pipe()
    defer { close(pipe.read) }
    let started = Mutex<ChildProcess?>(nil)
    try #require(
      SideThread.start {
        let child = try? ChildProcess(
          path: "/bin/sh", arguments: ["-c", "exec sleep 1000"], streams: (0, pipe.write, 2),
          sharing: .everything)
        started.withLock { $0 = child }
        close(pipe.write)
      })
    // The output ends only when the process that holds it open dies.
    #expect(ChildProcess.output(of: pipe.read).isEmpty)
    // Swift-testing waits for children. If a test does not wait for its own exited child,
    // swift-testing does not see others, and an exit test never ends.
    let child = try #require(started.withLock { $0 })
    #expect(child.wait().ending == .signal(SIGKILL))
  }
}

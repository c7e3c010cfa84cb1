import Foundation
import Testing
import System
import TestSupport

@testable import RunSchemas

@Suite(.enabled(if: Command.path(of: "flock") != nil, "needs flock, of util-linux")) struct RunLockTests {
  let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  /// Starts a process that holds the lock until `input` is closed or the process is killed.
  private func holder() throws -> (process: Process, input: Pipe) {
    try scratch.write("process 7, started yesterday,", to: "lock")
    let process = Process()
    process.executableURL = URL(filePath: try #require(Command.path(of: "flock")))
    // With `-o`, only flock holds the lock, not the shell that flock starts.
    process.arguments = ["-o", scratch("lock"), "sh", "-c", "echo held; cat"]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    #expect(output.fileHandleForReading.readData(ofLength: 5) == Data("held\n".utf8))
    return (process, input)
  }

  /// Whether another process can get the lock.
  private func isFree() throws -> Bool {
    try Command.run("flock", ["-n", scratch("lock"), "true"]).status == 0
  }

  @Test func `a lock held by another process is rejected with the holder`() throws {
    let (process, input) = try holder()
    let error = #expect(throws: LockHeld.self) { _ = try RunLock(of: scratch.path, holder: "me") }
    #expect(error?.holder == "process 7, started yesterday,")
    #expect(error?.path == scratch("lock"))
    #expect(error?.description.contains("process 7") == true)
    #expect(
      try scratch.text("lock") == "process 7, started yesterday,",
      "a process without the lock must not write to the file")
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    _ = try RunLock(of: scratch.path, holder: "me")
    #expect(try scratch.text("lock") == "me")
  }

  @Test(arguments: [
    ("process 7", "process 7 holds the lock 'p/lock'"), ("", "another process holds the lock 'p/lock'"),
  ])
  func `the message names the holder`(holder: String, named: String) {
    let error = LockHeld(path: "p/lock", holder: holder)
    #expect(error.description.contains(named) && error.exitStatus == .tryAgain)
  }

  @Test func `a killed holder releases the lock`() throws {
    let (process, input) = try holder()
    kill(process.processIdentifier, SIGKILL)
    // Foundation also waits for the shell, which ends when its input is closed.
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal)
    _ = try RunLock(of: scratch.path, holder: "me")
  }

  @Test func `the lock is held until its value is destroyed`() throws {
    do {
      let lock = try RunLock(of: scratch.path, holder: "me")
      #expect(try !isFree())
      #expect(
        #expect(throws: LockHeld.self) { _ = try RunLock(of: scratch.path, holder: "you") }?.holder == "me")
      _ = consume lock
    }
    _ = try RunLock(of: scratch.path, holder: "you")
    #expect(try isFree())
  }

  @Test func `a released lock is free even if another process inherited it`() throws {
    let (reading, writing) = try ChildProcess.pipe()
    let child: pid_t
    do {
      let lock = try RunLock(of: scratch.path, holder: "me")
      child = try Self.startReader(of: reading, inheriting: lock.descriptor)
      _ = consume lock
    }
    _ = try RunLock(of: scratch.path, holder: "you")
    close(reading)
    close(writing)
    #expect(waitpid(child, nil, 0) == child)
  }

  // After a run is killed, the lock stays held as long as a stage process that inherited the file exists.
  @Test func `stage processes inherit the lock`() throws {
    let lock = try RunLock(of: scratch.path, holder: "me")
    #expect(fcntl(lock.descriptor, F_GETFD) & FD_CLOEXEC == 0)
  }

  /// Starts a process that inherits only the lock. The process ends when the pipe `input` is
  /// closed.
  private static func startReader(of input: Int32, inheriting lock: Int32) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_adddup2(&actions, lock, 3)
    for other in 4..<1024 { posix_spawn_file_actions_addclose(&actions, Int32(other)) }
    let name = strdup("cat")
    defer { free(name) }
    var child: pid_t = 0
    let status = posix_spawnp(&child, "cat", &actions, nil, [name, nil], environ)
    try #require(status == 0)
    return child
  }

  @Test func `a shorter holder text replaces a longer one completely`() throws {
    _ = try RunLock(of: scratch.path, holder: "a long name of a process")
    _ = try RunLock(of: scratch.path, holder: "b")
    #expect(try scratch.text("lock") == "b")
  }

  @Test func `the directory is created`() throws {
    _ = try RunLock(of: scratch("var/p"), holder: "me")
    #expect(scratch.files == ["var/p/lock"])
  }

  @Test(arguments: ["runs/1", "runs/1/", "runs/./1", "runs/../runs/1", "latest", "latest/", "runs/2"])
  func `a stage run by hand takes its pipeline's lock for any path of the directory`(run: String)
    throws
  {
    try scratch.write("", to: "p/runs/1/run.json")
    try FileManager.default.createSymbolicLink(atPath: scratch("p/latest"), withDestinationPath: "runs/1")
    let lock = try RunLock(of: scratch("p"), holder: "the night")
    let error = #expect(throws: LockHeld.self) { _ = try RunLock(ofRun: scratch("p/" + run), stage: .fit) }
    #expect(error?.holder == "the night")
    _ = consume lock
    _ = try RunLock(ofRun: scratch("p/" + run), stage: .fit)
    #expect(try scratch.text("p/lock").hasPrefix("nightjar fit in"))
  }

  @Test func `a directory outside a pipeline has its own lock`() throws {
    _ = try RunLock(ofRun: scratch("elsewhere"), stage: .rank)
    #expect(scratch.files == ["elsewhere/lock"])
  }

  @Test func `a lock that no process holds has no holder`() throws {
    try scratch.write("process 7", to: "lock")
    // An earlier error number must not matter.
    errno = EWOULDBLOCK
    let holder = RunLock.holder(of: scratch.path)
    #expect(holder == nil)
    #expect(RunLock.holder(of: scratch("none")) == nil)
  }

  @Test func `the holder of a lock is the text that it wrote`() throws {
    let (process, input) = try holder()
    #expect(RunLock.holder(of: scratch.path) == "process 7, started yesterday,")
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}

import Foundation
import Testing
import TestSupport

@testable import RunSchemas

@Suite(.enabled(if: Command.path(of: "flock") != nil, "needs flock, of util-linux")) struct RunLockTests {
  let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  /// A process that holds the lock until `input` is closed or it is killed.
  private func holder() throws -> (process: Process, input: Pipe) {
    try scratch.write("process 7, started yesterday,", to: "lock")
    let process = Process()
    process.executableURL = URL(filePath: try #require(Command.path(of: "flock")))
    // `-o`: only flock itself holds the lock, not the shell that it starts.
    process.arguments = ["-o", scratch("lock"), "sh", "-c", "echo held; cat"]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    #expect(output.fileHandleForReading.readData(ofLength: 5) == Data("held\n".utf8))
    return (process, input)
  }

  /// Takes a free lock. Programs that other tests started while it was held have inherited it, so this retries until
  /// they exit.
  private func retrying(_ takeLock: () throws -> Void) throws {
    for _ in 0..<3000 {
      do { return try takeLock() } catch is LockHeld { usleep(10_000) }
    }
    try takeLock()
  }

  /// Whether another process gets the lock.
  private func isFree() throws -> Bool {
    try Command.run("flock", ["-n", scratch("lock"), "true"]).status == 0
  }

  @Test func `a lock held by another process is rejected with the holder`() throws {
    let (process, input) = try holder()
    let error = #expect(throws: LockHeld.self) { _ = try RunLock(of: scratch.path, holder: "me") }
    #expect(error?.holder == "process 7, started yesterday,")
    #expect(error?.path == scratch("lock"))
    #expect(error?.description.contains("process 7") == true)
    #expect(try scratch.text("lock") == "process 7, started yesterday,", "who is refused writes nothing")
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    _ = try RunLock(of: scratch.path, holder: "me")
    #expect(try scratch.text("lock") == "me")
  }

  @Test func `a killed holder releases the lock`() throws {
    let (process, input) = try holder()
    kill(process.processIdentifier, SIGKILL)
    // Foundation waits for the shell as well, which ends with its input.
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
    try retrying { _ = try RunLock(of: scratch.path, holder: "you") }
    #expect(try isFree())
  }

  @Test func `a child that inherited the lock holds it after the parent released it`() throws {
    var pipe: [Int32] = [0, 0]
    try #require(Foundation.pipe(&pipe) == 0)
    for end in pipe { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, pipe[0], 0)
    var child: pid_t = 0
    do {
      let lock = try RunLock(of: scratch.path, holder: "me")
      let name = strdup("cat")
      defer { free(name) }
      try #require(posix_spawnp(&child, "cat", &actions, nil, [name, nil], environ) == 0)
      _ = consume lock
    }
    #expect(throws: LockHeld.self) { _ = try RunLock(of: scratch.path, holder: "you") }
    close(pipe[1])
    close(pipe[0])
    var status: Int32 = 0
    #expect(waitpid(child, &status, 0) == child)
    _ = try RunLock(of: scratch.path, holder: "you")
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
    try retrying { _ = try RunLock(ofRun: scratch("p/" + run), stage: .fit) }
    #expect(try scratch.text("p/lock").hasPrefix("nightjar-fit in"))
  }

  @Test func `a directory outside a pipeline has its own lock`() throws {
    _ = try RunLock(ofRun: scratch("elsewhere"), stage: .rank)
    #expect(scratch.files == ["elsewhere/lock"])
  }

  @Test func `a lock that no process holds has no holder`() throws {
    try scratch.write("process 7", to: "lock")
    // An earlier failure must not count.
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

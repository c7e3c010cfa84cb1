import ArgumentParser
import Files
import Foundation
import Glibc
import System
import Testing
import Text

@testable import CommandLine

/// Tests how a program ends: by a signal, by an error, or because it cannot write its result. Each
/// test runs in a process of its own.
@Suite struct ProcessEndTests {
  /// Waits until a signal ends this process. If no signal arrives, the process ends itself.
  private static func wait() -> Never {
    sleep(20)
    exit(99)
  }

  private static func text(_ bytes: [UInt8]?) -> String { String(decoding: bytes ?? [], as: UTF8.self) }

  @Test func `SIGTERM ends a program with 75 and one line`() async {
    let ended = await #expect(processExitsWith: .exitCode(75), observing: [\.standardErrorContent]) {
      unsafe unsetenv("NIGHTJAR_PARENT")
      unsafe unsetenv("NIGHTJAR_EVENTS")
      // A program may call `watch` twice. Only one thread handles the signal.
      Interruption.watch()
      Interruption.watch()
      kill(getpid(), SIGTERM)
      Self.wait()
    }
    #expect(Self.text(ended?.standardErrorContent) == "nightjar: stopped by SIGTERM.\n")
  }

  @Test func `SIGINT ends a program with 130, as shells expect`() async {
    let ended = await #expect(processExitsWith: .exitCode(130), observing: [\.standardErrorContent]) {
      unsafe unsetenv("NIGHTJAR_PARENT")
      unsafe setenv("NIGHTJAR_EVENTS", "1", 1)
      Interruption.watch()
      kill(getpid(), SIGINT)
      Self.wait()
    }
    let event = Self.text(ended?.standardErrorContent)
    #expect(
      event.hasPrefix("{\"event\":\"error\",\"message\":\"stopped by SIGINT.\",\"status\":130,"), "\(event)")
  }

  @Test func `a stage leaves the message to the run that started it`() async {
    let ended = await #expect(processExitsWith: .exitCode(75), observing: [\.standardErrorContent]) {
      unsafe setenv("NIGHTJAR_PARENT", "1", 1)
      Interruption.watch()
      kill(getpid(), SIGHUP)
      Self.wait()
    }
    // The test library may return bytes of its own for an empty stream, so this searches for parts
    // of the message.
    let message = Self.text(ended?.standardErrorContent)
    #expect(!message.contains("nightjar") && !message.contains("SIGHUP"), "\(message)")
  }

  @Test func `a program that handles the signal itself continues, and its next check fails`() async {
    await #expect(processExitsWith: .exitCode(42)) {
      Interruption.watch()
      let (reading, writing) = try ChildProcess.pipe()
      Interruption.react { signal in
        var byte = UInt8(signal)
        _ = unsafe write(writing, &byte, 1)
      }
      try Interruption.check(whole: "run", resume: "nightjar run p.yaml --resume")
      kill(getpid(), SIGTERM)
      var byte: UInt8 = 0
      guard unsafe read(reading, &byte, 1) == 1, Int32(byte) == SIGTERM else { exit(1) }
      do {
        try Interruption.check(whole: "run", resume: "nightjar run p.yaml --resume")
      } catch let error as StageFailure {
        guard error.exitStatus == .tryAgain, "\(error)".contains("SIGTERM"), "\(error)".contains("'run'"),
          "\(error)".hasSuffix("use 'nightjar run p.yaml --resume'.")
        else { exit(2) }
        exit(42)
      }
      exit(3)
    }
  }

  @Test func `an error is one line on standard error, without the control characters of a name`() async {
    let ended = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      unsafe unsetenv("NIGHTJAR_EVENTS")
      do {
        try StageMain.guarded { throw FileError(.find, "a\u{1B}[31mb", reason: "it is missing") }
      } catch { exit("\(error)" == "ExitCode(rawValue: 66)" ? 0 : 1) }
      exit(2)
    }
    let message = Self.text(ended?.standardErrorContent)
    #expect(message.hasPrefix("nightjar: ") && message.hasSuffix("\n"), "\(message)")
    #expect(message.contains("it is missing") && !message.contains("\u{1B}"), "\(message)")
  }

  @Test func `with events an error is one JSON object`() async throws {
    let ended = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      Console.printEvents()
      do {
        try StageMain.guarded { throw FileError(.find, "x", reason: "it is missing") }
      } catch { exit("\(error)" == "ExitCode(rawValue: 66)" ? 0 : 1) }
      exit(2)
    }
    let event = try JSONDecoder().decode(JSONValue.self, from: Data(ended?.standardErrorContent ?? []))
    #expect(event["event"] == "error" && event["status"] == 66)
  }

  @Test func `a result that a full disk refuses is an error`() async {
    let ended = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      unsafe dup2(open("/dev/full", O_WRONLY), 1)
      do {
        try StageMain.guarded { Console.result("a result") }
      } catch { exit("\(error)" == "ExitCode(rawValue: 74)" ? 0 : 1) }
      exit(2)
    }
    let message = Self.text(ended?.standardErrorContent)
    #expect(message.contains("standard output"), "\(message)")
  }

  @Test func `a reader that stops reading is not an error`() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let (reading, writing) = try ChildProcess.pipe()
      close(reading)
      signal(SIGPIPE, SIG_IGN)
      dup2(writing, 1)
      try StageMain.guarded { Console.result("a result") }
      exit(Console.lostResult ? 1 : 0)
    }
  }

  @Test func `a stage inherits the lock of its run only if the descriptor is open`() async {
    await #expect(processExitsWith: .exitCode(0)) {
      unsafe unsetenv("NIGHTJAR_PARENT")
      guard try StageParent.inherit() == nil else { exit(1) }
      unsafe setenv("NIGHTJAR_PARENT", String(getppid()), 1)
      unsafe setenv("NIGHTJAR_LOCK", "999", 1)
      guard try StageParent.inherit() == nil else { exit(2) }
      let lock = unsafe open("/dev/null", O_RDONLY)
      unsafe setenv("NIGHTJAR_LOCK", String(lock), 1)
      guard try StageParent.inherit() == lock else { exit(3) }
      exit(0)
    }
  }

  @Test func `a stage whose parent is not its run ends at once with the reason`() async {
    let ended = await #expect(processExitsWith: .exitCode(75), observing: [\.standardErrorContent]) {
      unsafe setenv("NIGHTJAR_PARENT", String(getpid()), 1)
      do {
        try StageMain.guarded { _ = try StageParent.inherit() }
      } catch let code as ExitCode {
        exit(code.rawValue)
      }
      exit(0)
    }
    let message = String(decoding: ended?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      message.contains("NIGHTJAR_PARENT") && message.contains("but the parent is process"), "\(message)")
  }
}

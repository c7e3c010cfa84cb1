internal import CLinux
internal import Glibc
internal import System

/// A child process that runs statements in DuckDB's command-line program. The child ends with this process.
///
/// The module `DuckDB` runs DuckDB and returns its output as CSV bytes. It must not depend on `Readers` and
/// `Parquet`, which depend on it. It does not interpret the values of exports and rankings.
///
/// DuckDB ignores the user's configuration and stops at the first error. Different threads may start, feed
/// and end a process, but only one thread at a time may use the process.
///
/// ```swift
/// let process = try DuckDBProcess(sql: "COPY (SELECT 42) TO \(SQL.standardOutput) (USE_TMP_FILE false)",
///   input: false, output: true)
/// // … read `process.output` to its end …
/// try process.finish()
/// ```
package final class DuckDBProcess {
  /// The pipe for the data that the statements read from `SQL.standardInput`; `nil` if there is no
  /// such input, and after the input ended.
  package private(set) var input: Int32?
  /// The pipe with the data that the statements write to `SQL.standardOutput`; `nil` if there is no
  /// such output, and after the process ended.
  package private(set) var output: Int32?
  private let child: DuckDBChild
  private let statements: Int32
  /// Whether a failure is reported as a failure to write. Initially true if the process has an input.
  package var isWriting: Bool

  /// Starts DuckDB.
  ///
  /// - Parameters:
  ///   - sql: Statements separated by semicolons. They are not visible in the process's arguments.
  ///   - input: Whether the statements read `SQL.standardInput`. Otherwise the standard input is empty.
  ///   - output: Whether the statements write to `SQL.standardOutput`. Otherwise their output is discarded.
  ///   - databasePath: A database to open for reading, absolute or relative to `workingDirectory`; `nil` for
  ///     a new database in memory.
  ///   - workingDirectory: The directory for relative paths; `nil` for the current directory.
  /// - Throws: `missing` if DuckDB was not found; `system` if it cannot be started. The method `finish`
  ///   throws errors in the statements.
  package init(
    sql: String, input: Bool, output: Bool, databasePath: String? = nil, workingDirectory: String? = nil
  ) throws(DuckDBError) {
    let program = try DuckDBProgram.find()
    let statements = try Self.file(of: sql)
    do throws(DuckDBError) {
      let incoming = try input ? Self.pipe() : (read: Self.nothing(O_RDONLY), write: -1)
      let outgoing: (read: Int32, write: Int32)
      do throws(DuckDBError) {
        outgoing = try output ? Self.pipe() : (read: -1, write: Self.nothing(O_WRONLY))
      } catch {
        Self.close([incoming.read, incoming.write])
        throw error
      }
      do throws(DuckDBError) {
        // The path contains this process's id, because a wrapper script may pass only the standard streams to
        // DuckDB.
        var arguments = ["-init", "/dev/null", "-batch", "-bail", "-f", "/proc/\(getpid())/fd/\(statements)"]
        if let path = databasePath { arguments += ["-readonly", path.hasPrefix("/") ? path : "./" + path] }
        child = try DuckDBChild(
          path: program, arguments: arguments, directory: workingDirectory, input: incoming.read,
          output: outgoing.write)
      } catch {
        Self.close([incoming.write, outgoing.read])
        throw error
      }
      self.input = input ? incoming.write : nil
      self.output = output ? outgoing.read : nil
    } catch {
      Self.close([statements])
      throw error
    }
    self.statements = statements
    isWriting = input
  }

  deinit {
    cancel()
    Self.close([statements])
  }

  /// Writes all of `bytes` to the statements' input.
  ///
  /// - Throws: `failed` if DuckDB ended before it read all bytes; `system` if the system rejects the write.
  package func write(_ bytes: [UInt8]) throws(DuckDBError) {
    guard let input else { preconditionFailure("this process has no input, or its input is closed") }
    var done = 0
    while done < bytes.count {
      let (count, code) = Self.write(bytes, from: done, to: input)
      if count >= 0 {
        done += count
      } else if code == EPIPE {
        try finish()
        throw .failed(
          DuckDBFailure(
            status: 0, message: "it ended before it read all input.", isWriting: isWriting))
      } else if code != EINTR {
        throw unsafe .system("its input could not be written: \(String(cString: strerror(code)))")
      }
    }
  }

  /// Returns the rest of the statements' output.
  ///
  /// - Throws: `system` if the output cannot be read.
  package func readToEnd() throws(DuckDBError) -> [UInt8] {
    guard let output else { preconditionFailure("this process has no output, or has ended") }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(output, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        throw unsafe .system("its output could not be read: \(String(cString: strerror(errno)))")
      }
      guard count > 0 else { return bytes }
      bytes += buffer.prefix(count)
    }
  }

  /// Ends the input, closes the output, and waits for the end of the process. Read the output to its end
  /// first.
  ///
  /// - Throws: `failed` if the process ended with a status other than 0.
  package func finish() throws(DuckDBError) {
    closeStreams()
    let ending = child.wait()
    if ending.status != 0 {
      throw .failed(DuckDBFailure(status: ending.status, errors: ending.errors, isWriting: isWriting))
    }
  }

  /// Kills the process and waits for its end. Does nothing if the process has ended.
  package func cancel() {
    child.kill()
    closeStreams()
    _ = child.wait()
  }

  /// Ends the input, for callers that read output before `finish`.
  package func endInput() {
    Self.close([input ?? -1])
    input = nil
  }

  private func closeStreams() {
    endInput()
    Self.close([output ?? -1])
    output = nil
  }

  private static func close(_ descriptors: [Int32]) {
    for descriptor in descriptors where descriptor >= 0 { _ = Glibc.close(descriptor) }
  }

  private static func pipe() throws(DuckDBError) -> (read: Int32, write: Int32) {
    do throws(ChildProcess.StartFailure) {
      return try ChildProcess.pipe()
    } catch {
      throw .system("a pipe could not be created: \(error.reason)")
    }
  }

  private static func nothing(_ mode: Int32) throws(DuckDBError) -> Int32 {
    let descriptor = unsafe open("/dev/null", mode | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw unsafe .system("/dev/null could not be opened: \(String(cString: strerror(errno)))")
    }
    return descriptor
  }

  /// Creates a memory file with the content `sql`.
  private static func file(of sql: String) throws(DuckDBError) -> Int32 {
    let descriptor = unsafe linux_memory_file("nightjar-sql")
    let bytes = Array((sql + ";\n").utf8)
    var done = 0
    while descriptor >= 0, done < bytes.count {
      let (count, code) = write(bytes, from: done, to: descriptor)
      if count < 0, code == EINTR { continue }
      if count < 0 {
        close([descriptor])
        throw unsafe .system("a file in memory could not be written: \(String(cString: strerror(code)))")
      }
      done += count
    }
    guard descriptor >= 0 else {
      throw unsafe .system("a file in memory could not be created: \(String(cString: strerror(errno)))")
    }
    return descriptor
  }

  /// Calls `write` once. The call blocks the signal SIGPIPE, which would end this process if the reader has
  /// ended.
  private static func write(_ bytes: [UInt8], from start: Int, to descriptor: Int32) -> (
    count: Int, code: Int32
  ) {
    var pipeSignal = sigset_t()
    var before = sigset_t()
    unsafe sigemptyset(&pipeSignal)
    unsafe sigaddset(&pipeSignal, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &pipeSignal, &before)
    let count = unsafe bytes.withUnsafeBytes {
      unsafe Glibc.write(descriptor, $0.baseAddress.map { unsafe $0 + start }, $0.count - start)
    }
    let code = count < 0 ? errno : 0
    if count < bytes.count - start {
      // The loop consumes a SIGPIPE that may be pending for this thread. A write of only a part of the bytes
      // also raises the signal if the reader ended meanwhile.
      var now = timespec()
      while unsafe sigtimedwait(&pipeSignal, nil, &now) < 0, errno == EINTR {}
    }
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    return (count, code)
  }
}

internal import Foundation
internal import Glibc

/// A server on the loopback interface with a temporary directory. It ends with the test process.
///
/// A shell starts the server. When its standard input closes, the shell stops the server. This
/// works for any end of the test process.
public final class LocalServer: Sendable {
  public let port: Int
  public let directory: String
  /// This reference is kept, because its deinitialization removes the directory.
  private let scratch: ScratchDirectory
  private let lifeline: FileHandle

  /// Starts a server and waits until it is ready.
  ///
  /// - Parameters:
  ///   - name: The name of the server for messages.
  ///   - script: Shell lines that prepare the server and then replace the shell with it by
  ///     `exec`. `$1` is the directory and `$2` is the port.
  ///   - isReady: Whether the server is ready at a port.
  /// - Throws: An error with the server's output if the server was not ready within half a minute
  ///   on any of three ports.
  public init(_ name: String, script: String, isReady: (Int) -> Bool) throws {
    var said = ""
    for _ in 0..<3 {
      let scratch = try ScratchDirectory(untilExit: true)
      let (directory, port) = (scratch("server"), try Self.freePort())
      let process = Process()
      process.executableURL = URL(filePath: "/bin/sh")
      // The server writes its output to a file. When the server exits, the shell stops waiting.
      let text = """
        mkdir -p "$1" && chmod 755 "$(dirname "$1")"
        ( \(script) ) > "$1.log" 2>&1 < /dev/null &
        server=$!
        cat > /dev/null
        kill -INT "$server"
        for try in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$server" || break; sleep 0.2; done
        kill -KILL "$server"
        wait "$server"
        rm -rf "$1" "$1.log"
        """
      process.arguments = ["-c", text, name, directory, String(port)]
      var ends: [Int32] = [0, 0]
      guard unsafe pipe(&ends) == 0 else { throw Program.Failure("cannot create a pipe: \(errno)") }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      let reading = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
      let writing = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
      process.standardInput = reading
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      for _ in 0..<300 {
        if isReady(port) {
          (self.port, self.directory, self.scratch, lifeline) = (port, directory, scratch, writing)
          return
        }
        Thread.sleep(forTimeInterval: 0.1)
      }
      said = (try? String(contentsOfFile: directory + ".log", encoding: .utf8)) ?? "nothing"
      try? writing.close()
    }
    throw Program.Failure("\(name) did not start: \(said)")
  }

  /// Returns a loopback port that is free at the moment.
  public static func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let port = unsafe withUnsafeMutablePointer(to: &address) { pointer -> Int? in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        guard unsafe bind(descriptor, pointer, length) == 0,
          unsafe getsockname(descriptor, pointer, &length) == 0
        else { return nil }
        return Int(
          UInt16(bigEndian: unsafe UnsafeRawPointer(pointer).load(fromByteOffset: 2, as: UInt16.self)))
      }
    }
    guard let port else { throw Program.Failure("no TCP port is free") }
    return port
  }

  /// Whether a server accepts connections at a loopback port.
  public static func accepts(_ port: Int) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}

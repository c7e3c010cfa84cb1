internal import Foundation
internal import Synchronization

/// One Redis server that all tests of a process share, and separate servers on request. `make test`
/// installs Debian's package.
public enum RedisServer {
  private static let program = Command.path(of: "redis-server") ?? Command.path(of: "valkey-server")

  /// Whether Redis is installed. Otherwise, tests that need it are disabled.
  public static let isAvailable: Bool = program != nil

  private static let server = Result { try start("--databases \(databases)") }

  private static let databases = 4096

  private static let made = Atomic(0)

  /// Starts a separate server with options in shell syntax.
  public static func start(_ options: String) throws -> LocalServer {
    try start(options) { port in
      do { return try run(["PING"], port: port) == "PONG" } catch { return "\(error)".contains("NOAUTH") }
    }
  }

  /// Starts a replica of the shared server and waits until it has the same data.
  public static func replica() throws -> LocalServer {
    try start("--databases \(databases) --replicaof 127.0.0.1 \(try port())") {
      (try? run(["INFO", "replication"], port: $0))?.contains("master_link_status:up") == true
    }
  }

  // An accepted connection is not enough, because another process may use the port.
  private static func start(_ options: String, isReady: (Int) -> Bool) throws -> LocalServer {
    guard let program else { throw Program.Failure("Redis is not installed") }
    return try LocalServer(
      "Redis",
      script: """
        exec \(program) --port "$2" --bind 127.0.0.1 --save '' --appendonly no --dir "$1" \(options)
        """, isReady: isReady)
  }

  /// The loopback port of the server that all tests share.
  public static func port() throws -> Int { try server.get().port }

  /// The number of a database that no test has used.
  public static func database() -> Int { made.wrappingAdd(1, ordering: .relaxed).newValue }

  /// Runs a command with redis-cli and returns the output without the last line end. Without a
  /// port, the command runs on the shared server.
  public static func run(_ command: [String], database: Int = 0, port: Int? = nil) throws -> String {
    guard let client = Command.path(of: "redis-cli") ?? Command.path(of: "valkey-cli") else {
      throw Program.Failure("neither redis-cli nor valkey-cli is installed")
    }
    let place = ["-e", "-h", "127.0.0.1", "-p", "\(try port ?? self.port())", "-n", "\(database)"]
    let ended = try Program.run(client, place + command)
    guard ended.ending == .status(0) else { throw Program.Failure(ended.output + ended.errors) }
    // Some replies end with CR LF, which Swift counts as one character.
    return ended.output.last?.isNewline == true ? String(ended.output.dropLast()) : ended.output
  }
}

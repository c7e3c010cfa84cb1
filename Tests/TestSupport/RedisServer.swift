internal import Foundation
internal import Synchronization

/// One Redis server for all tests of a process; `make test` installs Debian's package.
public enum RedisServer {
  private static let program = Command.path(of: "redis-server") ?? Command.path(of: "valkey-server")

  /// Whether there is one: tests that need it are disabled otherwise.
  public static let isThere: Bool = program != nil

  private static let server = Result {
    guard let program else { throw Program.Failure("Redis is not installed") }
    return try LocalServer(
      "Redis",
      script: """
        exec \(program) --port "$2" --bind 127.0.0.1 --save '' --appendonly no --databases 4096 --dir "$1"
        """, isReady: LocalServer.accepts)
  }

  private static let made = Atomic(0)

  public static func port() throws -> Int { try server.get().port }

  /// The number of a database that nobody has used.
  public static func database() -> Int { made.wrappingAdd(1, ordering: .relaxed).newValue }

  /// What redis-cli prints for a command.
  public static func run(_ command: [String], database: Int) throws -> String {
    guard let client = Command.path(of: "redis-cli") ?? Command.path(of: "valkey-cli") else {
      throw Program.Failure("there is no redis-cli")
    }
    let arguments = ["-h", "127.0.0.1", "-p", "\(try port())", "-n", "\(database)"] + command
    let ended = try Program.run(client, arguments)
    guard ended.ending == .status(0) else { throw Program.Failure(ended.errors) }
    return ended.output
  }
}

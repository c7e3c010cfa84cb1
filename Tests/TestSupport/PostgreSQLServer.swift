internal import Foundation
internal import Synchronization

/// One PostgreSQL server that all tests of a process share. `make test` installs Debian's package.
public enum PostgreSQLServer {
  /// The directory of Debian's PostgreSQL programs. The newest version is used.
  public static let programs: String? = {
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    return versions.compactMap { Int($0) }.sorted(by: >).map { "/usr/lib/postgresql/\($0)/bin" }
      .first { FileManager.default.isExecutableFile(atPath: $0 + "/postgres") }
  }()

  /// Whether PostgreSQL is installed. Otherwise, tests that need it are disabled.
  public static let isAvailable: Bool = programs != nil

  /// Whether the extension PostGIS is installed.
  public static let hasPostGIS: Bool = {
    guard let version = programs?.split(separator: "/").dropLast().last else { return false }
    return FileManager.default.fileExists(
      atPath: "/usr/share/postgresql/\(version)/extension/postgis.control")
  }()

  private static let server = Result { try start("-c synchronous_commit=off") }

  /// Starts a separate server with options in shell syntax. Its files are in the subdirectory
  /// `data`.
  public static func start(_ options: String) throws -> LocalServer {
    guard let programs else { throw Program.Failure("PostgreSQL is not installed") }
    // PostgreSQL refuses to run as root. The data need not survive a crash of the machine, so the
    // server does not sync them.
    return try LocalServer(
      "PostgreSQL",
      script: """
        run=; if [ "$(id -u)" -eq 0 ]; then
          chown postgres "$1"; run='setpriv --reuid=postgres --regid=postgres --clear-groups'
        fi
        cd "$1"
        $run \(programs)/initdb -D "$1/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync || exit 1
        exec $run \(programs)/postgres -D "$1/data" -c listen_addresses=127.0.0.1 -p "$2" -k "$1" -c fsync=off \
          -c full_page_writes=off -c max_connections=300 \(options)
        """, isReady: { port in isReady(port) })
  }

  private static func isReady(_ port: Int) -> Bool {
    guard let programs, LocalServer.accepts(port) else { return false }
    let arguments = ["-h", "127.0.0.1", "-p", "\(port)", "-q"]
    return (try? Program.run(programs + "/pg_isready", arguments).ending) == .status(0)
  }

  private static let made = Atomic(0)

  /// Returns the URI of a new, empty database. The user is the superuser `postgres`.
  public static func database() throws -> String {
    let name = "test\(made.wrappingAdd(1, ordering: .relaxed).newValue)"
    _ = try run("CREATE DATABASE \(name)", in: "postgres")
    return try uri(name)
  }

  /// The loopback port of the server that all tests share.
  public static func port() throws -> Int { try server.get().port }

  public static func uri(_ database: String, user: String = "postgres") throws -> String {
    "postgresql://\(user)@127.0.0.1:\(try server.get().port)/\(database)"
  }

  /// Returns the output of pg_dump for the database at a URI.
  public static func dump(_ uri: String) throws -> String {
    guard let programs else { throw Program.Failure("PostgreSQL is not installed") }
    let ended = try Program.run(programs + "/pg_dump", ["-d", uri])
    guard ended.ending == .status(0) else { throw Program.Failure(ended.errors) }
    return ended.output
  }

  /// Runs statements with psql in a database or at a URI, and returns the output. Columns are
  /// separated by `|`.
  public static func run(_ sql: String, in database: String) throws -> String {
    let uri = database.hasPrefix("postgresql:") ? database : try uri(database)
    guard let programs else { throw Program.Failure("PostgreSQL is not installed") }
    let ended = try Program.run(programs + "/psql", ["-XqAt", "-v", "ON_ERROR_STOP=1", "-d", uri, "-c", sql])
    guard ended.ending == .status(0) else { throw Program.Failure(ended.errors) }
    return ended.output
  }
}

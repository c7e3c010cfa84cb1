import Files
import Foundation
import Glibc
import GRDB

/// The file of a SQLite serving store. This type checks that the file belongs to this program, and creates a
/// missing file.
struct SQLiteFile {
  let address: StoreAddress
  let path: String
  /// The maximum time to wait for another process, for example while it recovers the write-ahead log.
  let busyTimeout: Duration

  /// The kind of file at the path.
  enum Contents {
    /// No file, an empty file, or a file without a schema. A process that is killed while it creates a store
    /// leaves such a file.
    case nothing
    /// A store of this version or of an earlier version.
    case store
  }

  /// The mode of a new file. The group can read the file, so that the app can read the lists with its own
  /// account. To set the group of new files, change the group of the directory and set its setgid bit. Other
  /// users cannot read the file, because it contains personal data. SQLite gives its companion files the same
  /// mode.
  static let mode: mode_t = 0o640

  /// The minimum size of a SQLite database: one page of the smallest size. SQLite treats a smaller file as
  /// empty and overwrites it.
  private static let leastSize = 512

  /// Determines what exists at the path. If a writer was killed, this method rolls back the writer's
  /// transaction, unless `access` is `reading`. The method changes nothing else.
  ///
  /// Only SQLite may open the file: closing another descriptor of the file would drop the locks of this
  /// process's connections (https://www.sqlite.org/howtocorrupt.html, section 2.2).
  ///
  /// - Throws: `notOurs`, `newerSchema`, `corrupt` or `cannotOpen`; errors of SQLite.
  func inspect(for access: StoreAccess) throws -> Contents {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      if errno == ENOENT { return .nothing }
      throw ServingStoreError(
        .cannotOpen, address: address.description,
        found: "the file cannot be reached: \(systemMessage(errno))",
        nextStep: "check the path and the permissions of its parent directories")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw ServingStoreError(
        .cannotOpen, address: address.description, found: "the path is not a regular file",
        nextStep: "use the path of a regular file")
    }
    guard status.st_size > 0 else { return .nothing }
    guard status.st_size >= Self.leastSize else { throw notOurs("the file is not a SQLite database") }
    do {
      return try inspect(readOnly: true)
    } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_READONLY_ROLLBACK {
      guard access != .reading else {
        throw ServingStoreError(
          .cannotOpen, address: address.description,
          found: "a publication was killed, and reading cannot roll back its changes",
          nextStep: "publish again")
      }
      return try inspect(readOnly: false)
    }
  }

  private func inspect(readOnly: Bool) throws -> Contents {
    try withDatabase(readOnly: readOnly) { try contents($0) }
  }

  /// Opens the file for `body`.
  func withDatabase<Result>(readOnly: Bool, _ body: (Database) throws -> Result) throws -> Result {
    var configuration = Configuration()
    configuration.readonly = readOnly
    configuration.busyMode = .timeout(busyTimeout / .seconds(1))
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    defer { try? queue.close() }
    return try queue.read(body)
  }

  /// Determines the kind of the open file.
  ///
  /// - Throws: `notOurs`, `newerSchema` or `corrupt`; errors of SQLite.
  func contents(_ database: Database) throws -> Contents {
    let application = try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0
    let version = try Int32.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    if application == 0, version == 0,
      try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") == 0
    {
      return .nothing
    }
    guard application == SQLiteSchema.applicationID else {
      throw notOurs("the file is a SQLite database of another application (application_id \(application))")
    }
    guard version >= 1 else {
      throw SQLiteSchema.damage("the store has the invalid schema version \(version)", address)
    }
    guard version <= SQLiteSchema.version else {
      throw ServingStoreError(
        .newerSchema, address: address.description,
        found: "the store has schema version \(version), but this program supports versions up to "
          + "\(SQLiteSchema.version)",
        nextStep: "use a newer version of Nightjar, or another path")
    }
    return .store
  }

  /// Creates an empty file with the mode `mode`, and its parent directories, if the file does not exist.
  ///
  /// An existing file keeps its mode. If the path is a dangling symbolic link, the target of the link is
  /// created.
  ///
  /// - Throws: `cannotOpen` if the file or a directory cannot be created or synced.
  func createIfAbsent() throws {
    guard !FileManager.default.fileExists(atPath: path) else { return }
    let directory = URL(filePath: path).deletingLastPathComponent().path
    var (made, place) = ([] as [String], directory)
    while !FileManager.default.fileExists(atPath: place), place != Directories.parent(of: place) {
      made.append(place)
      place = Directories.parent(of: place)
    }
    do {
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    } catch {
      throw cannotCreate("the directory of the file cannot be created")
    }
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, Self.mode)
    guard file >= 0 else {
      throw cannotCreate("the file cannot be created: \(systemMessage(errno))")
    }
    close(file)
    // Without a sync, a power cut could lose the name of the file or of a new directory, and thus a published
    // generation.
    for directory in [directory] + made.map(Directories.parent) {
      do throws(FileError) {
        try Directories.sync(directory)
      } catch {
        throw cannotCreate("'\(directory)' cannot be synced: \(error.reason)")
      }
    }
  }

  /// Checks, without changing anything, that a publication can write to the file and its companion files. If
  /// the file does not exist, checks that the account can create it.
  ///
  /// - Throws: `cannotOpen` if the file cannot be created; `readOnly` if the account cannot write to an
  ///   existing file or to the directory in which SQLite must create a companion file.
  func checkWritable() throws {
    let file = target
    guard Directories.exists(file) else {
      var place = Directories.parent(of: file)
      // `createIfAbsent` creates missing parent directories, but not the directory of a link's target, and
      // not the target of a dangling link to a directory.
      while file == path, !Directories.isEntry(place), place != Directories.parent(of: place) {
        place = Directories.parent(of: place)
      }
      guard unsafe access(place, W_OK | X_OK) == 0 else {
        throw cannotCreate("the file cannot be created in '\(place)': \(systemMessage(errno))")
      }
      return
    }
    let log = ["-wal", "-shm"].map { file + $0 }.filter(Directories.exists)
    // SQLite ignores an empty journal.
    let journal = [file + "-journal"].filter { !isEmptyOrMissing($0) }
    // The two files of the write-ahead log remain between publications. SQLite writes to the directory only
    // to create a missing log file or to delete a journal.
    let directory = log.count < 2 || !journal.isEmpty ? [Directories.parent(of: file)] : []
    for needed in [file] + log + journal + directory where unsafe access(needed, W_OK) != 0 {
      throw ServingStoreError(
        .readOnly, address: address.description,
        found: "this account cannot write to '\(needed)': \(systemMessage(errno))",
        nextStep: "grant this account write permission for the file and its directory")
    }
  }

  /// The path of the file that SQLite opens or creates: the target of `path` if it is a symbolic link. SQLite
  /// keeps the companion files next to this file.
  private var target: String {
    var target = path
    // Linux follows at most 40 links in a path.
    for _ in 0..<40 {
      guard let link = try? FileManager.default.destinationOfSymbolicLink(atPath: target) else { break }
      target = link.hasPrefix("/") ? link : Directories.parent(of: target) + "/" + link
    }
    return target
  }

  private func isEmptyOrMissing(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) != 0 || status.st_size == 0
  }

  private func notOurs(_ found: String) -> ServingStoreError {
    ServingStoreError(
      .notOurs, address: address.description, found: found,
      nextStep: "use another path; the file is unchanged")
  }

  private func cannotCreate(_ found: String) -> ServingStoreError {
    ServingStoreError(
      .cannotOpen, address: address.description, found: found,
      nextStep: "check the path and the write permission of this account")
  }
}

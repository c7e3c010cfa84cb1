import Foundation
import GRDB
import Glibc

/// The file of a SQLite serving store: whose it is, and making one.
struct SQLiteFile {
  let address: StoreAddress
  let path: String

  /// What stands at the path.
  enum Contents {
    /// No file, an empty one, or one in which a killed process had not yet created the schema.
    case nothing
    /// A store of this version.
    case store
  }

  /// Readable by the group: that is how the app, under an account of its own, gets at the lists (`chgrp` the
  /// directory and set its setgid bit). Not by others: people are in it. SQLite gives the files that it puts
  /// beside it the same mode.
  static let mode: mode_t = 0o640

  /// What stands at the path, found without changing it.
  ///
  /// - Throws: `notOurs`, `newerSchema`, and whatever opening the file may fail with.
  func inspect() throws -> Contents {
    guard FileManager.default.fileExists(atPath: path) else { return .nothing }
    var configuration = Configuration()
    configuration.readonly = true
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    defer { try? queue.close() }
    return try queue.read { try contents($0) }
  }

  /// What the open file is.
  ///
  /// - Throws: `notOurs` or `newerSchema`.
  func contents(_ database: Database) throws -> Contents {
    let application = try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0
    let version = try Int32.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    if application == 0, version == 0,
      try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") == 0
    {
      return .nothing
    }
    guard application == SQLiteSchema.applicationID else {
      throw ServingStoreError(
        .notOurs, address: address.description,
        found: "the file is a SQLite database of another application (application_id \(application))",
        nextStep: "name another path; the file was left as it is")
    }
    guard version == SQLiteSchema.version else {
      throw ServingStoreError(
        .newerSchema, address: address.description,
        found: "the store has schema version \(version), this program knows \(SQLiteSchema.version)",
        nextStep: "use the newer program, or name another path")
    }
    return .store
  }

  /// Makes an empty file of the right mode, and the directories above it, if nothing is there.
  ///
  /// An existing file keeps its mode.
  ///
  /// - Throws: `cannotOpen`.
  func createIfAbsent() throws {
    let directory = URL(filePath: path).deletingLastPathComponent().path
    do {
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    } catch {
      throw cannotCreate("its directory cannot be created")
    }
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, Self.mode)
    guard file >= 0 else {
      if errno == EEXIST { return }
      throw cannotCreate("it cannot be created: \(systemMessage(errno))")
    }
    close(file)
    // Without this, a power cut could take the file's name away, and a published generation with it.
    let parent = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard parent >= 0 else { throw cannotCreate("its directory cannot be opened") }
    defer { close(parent) }
    guard fsync(parent) == 0 else { throw cannotCreate("its directory cannot be synced") }
  }

  private func cannotCreate(_ found: String) -> ServingStoreError {
    ServingStoreError(
      .cannotOpen, address: address.description, found: found,
      nextStep: "check the path and that this account may write there")
  }
}

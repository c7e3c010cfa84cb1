internal import CSyncs
internal import Foundation
internal import Synchronization

/// The syncs of this process during a test, with the bytes of files and the names in directories.
///
/// This shows the order of a sync and a renaming. A file that is synced after its renaming is
/// recorded with its final name. A directory that is synced before the renaming lacks that name.
public struct Syncs: Sendable {
  public struct Sync: Hashable, Sendable {
    /// The path of the file or directory at the time of the sync.
    public var path: String
    /// The inode number, which stays the same when the path changes.
    public var inode: UInt64
    /// The sorted names in a directory at the time of the sync, or `nil` for a file.
    public var names: [String]?
  }

  /// The syncs in order. Syncs of different threads can be in any order.
  public let all: [Sync]

  /// Runs `body` and records all syncs under `directory`.
  public init(under directory: String, during body: () throws -> Void) rethrows {
    let root = URL(filePath: directory).resolvingSymlinksInPath().path
    let watcher = Watcher(root: root)
    Self.watchers.withLock { $0.append(watcher) }
    observe_syncs { Syncs.note($0) }
    defer { Self.watchers.withLock { $0.removeAll { $0 === watcher } } }
    try body()
    all = watcher.syncs.withLock { $0 }
  }

  /// Returns the syncs of files whose path satisfies `isWanted`.
  public func files(where isWanted: (String) -> Bool = { _ in true }) -> [Sync] {
    all.filter { $0.names == nil && isWanted($0.path) }
  }

  /// Returns the syncs of the directory `path`.
  public func directory(_ path: String) -> [Sync] {
    let path = URL(filePath: path).resolvingSymlinksInPath().path
    return all.filter { $0.names != nil && $0.path == path }
  }

  /// Whether the file or directory that is now at `path` was synced, under any name.
  public func contain(_ path: String) -> Bool {
    guard let inode = Self.inode(path) else { return false }
    return all.contains { $0.inode == inode }
  }

  /// Records the syncs for one test.
  private final class Watcher: Sendable {
    let root: String
    let syncs = Mutex<[Sync]>([])

    init(root: String) { self.root = root }
  }

  private static let watchers = Mutex<[Watcher]>([])

  private static func inode(_ path: String) -> UInt64? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.systemFileNumber] as? NSNumber)?.uint64Value
  }

  private static func note(_ descriptor: Int32) {
    let watchers = watchers.withLock { $0 }
    if watchers.isEmpty { return }
    let link = "/proc/self/fd/\(descriptor)"
    guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: link) else { return }
    for watcher in watchers where path == watcher.root || path.hasPrefix(watcher.root + "/") {
      let names = try? FileManager.default.contentsOfDirectory(atPath: path).sorted()
      let sync = Sync(path: path, inode: inode(path) ?? 0, names: names)
      watcher.syncs.withLock { $0.append(sync) }
    }
  }
}

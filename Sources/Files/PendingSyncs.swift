internal import Concurrency
internal import Dispatch
internal import Glibc
internal import Synchronization
internal import System

/// Open files and directories that still have to be synced.
///
/// A sync waits for the file system's journal, which handles all waiting syncs at once. Twenty small files
/// need twenty waits if they are synced one after another, but only one or two if they are synced together.
/// The kernel starts to write a file as soon as the file is added, while the stage continues.
package struct PendingSyncs: ~Copyable {
  private var files: [(descriptor: Int32, path: String)] = []

  /// The maximum number of open descriptors. The system limits this number for each process.
  private static let most = 128
  /// The number of threads that wait for the disk. Their number may exceed the number of processors, because
  /// waiting needs no processor time.
  private static let threads = 16

  package init() {}

  deinit {
    for file in files { _ = close(file.descriptor) }
  }

  /// Adds a duplicate of `descriptor`. The caller must already have written the whole file, which is at
  /// `path`.
  mutating func add(_ descriptor: Int32, path: String) throws(FileError) {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw FileError(.write, path, errno: errno) }
    files.append((copy, path))
    WriteBehind.begin(copy)
    if isFull { try finish() }
  }

  /// Moves all files of `other` to this value.
  mutating func take(_ other: inout PendingSyncs) {
    files += other.files
    other.files = []
  }

  /// Whether to sync before adding more files.
  var isFull: Bool { files.count >= Self.most }

  /// Adds the directory at `path`. All its entries must exist already.
  mutating func add(directory path: String) throws(FileError) {
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(.write, path, errno: errno) }
    files.append((descriptor, path))
    if isFull { try finish() }
  }

  /// Syncs all added files and directories, and empties the list.
  ///
  /// - Throws: `FileError` for the first file, in the order of adding, that could not be synced. A failed
  ///   `fsync` is never retried: the kernel may have dropped the pages, and a second call would falsely
  ///   succeed.
  package mutating func finish() throws(FileError) {
    let pending = files
    files = []
    defer { for file in pending { _ = close(file.descriptor) } }
    let next = Atomic(0)
    let codes = Guarded([Int32](repeating: 0, count: pending.count))
    let syncRest: @Sendable () -> Void = {
      while true {
        let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
        guard index < pending.count else { return }
        if fsync(pending[index].descriptor) != 0 {
          let code = errno
          codes.withLock { $0[index] = code }
        }
      }
    }
    // `parallelMap` is not used, because it starts only as many threads as there are processors. More threads
    // are faster here, because they only wait.
    let others = DispatchGroup()
    for _ in 0..<max(0, min(Self.threads, pending.count) - 1) {
      others.enter()
      let isStarted = SideThread.start {
        syncRest()
        others.leave()
      }
      if !isStarted { others.leave() }
    }
    syncRest()
    others.wait()
    let failed = codes.withLock { codes in codes.firstIndex { $0 != 0 }.map { ($0, codes[$0]) } }
    if let (index, code) = failed { throw FileError(.write, pending[index].path, errno: code) }
  }
}

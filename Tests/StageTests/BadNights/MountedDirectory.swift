import Foundation
import Glibc
import TestSupport

/// A separate file system for one test. It is unmounted when this value is released. It is in
/// memory or in an image, for which the test can simulate a power cut.
///
/// Containers rarely have the rights to mount file systems. Tests that need a mounted file system are then
/// skipped.
final class MountedDirectory: Sendable {
  enum Kind: Sendable {
    /// A memory file system with this size in megabytes.
    case memory(Int)
    /// An ext4 file system in a file, with this size in megabytes.
    case image(Int)
  }

  let path: String
  private let kind: Kind
  private let scratch: ScratchDirectory

  static let canMountMemory: Bool = (try? MountedDirectory(.memory(1))) != nil
  static let canMountImages: Bool = (try? MountedDirectory(.image(8)).remount()) != nil

  init(_ kind: Kind) throws {
    self.kind = kind
    scratch = try ScratchDirectory()
    path = scratch("mounted")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    if case .image(let megabytes) = kind {
      try Self.run("truncate", ["-s", "\(megabytes)M", scratch("image")])
      try Self.run("mkfs.ext4", ["-q", "-F", scratch("image")])
    }
    try mount()
  }

  deinit {
    // A process that was just killed may use the file system for another moment.
    for _ in 0..<100 {
      if (try? Self.run("umount", [path])) != nil { return }
      usleep(20_000)
    }
    try? Self.run("umount", ["-l", path])
  }

  private func mount() throws {
    switch kind {
    case .memory(let megabytes):
      try Self.run("mount", ["-t", "tmpfs", "-o", "size=\(megabytes)m", "nightjar", path])
    case .image:
      // Unsynced data stay in memory as long as possible, and a rename does not flush them.
      try Self.run("mount", ["-o", "loop,noauto_da_alloc,commit=300", scratch("image"), path])
    }
  }

  /// Unmounts the file system, also after a power cut, and mounts it again.
  func remount() throws {
    for attempt in 0..<100 {
      do {
        try Self.run("umount", [path])
        break
      } catch  where attempt < 99 {
        usleep(20_000)
      }
    }
    try mount()
  }

  /// Makes the file system read-only, even for root.
  func makeReadOnly() throws {
    try Self.run("mount", ["-o", "remount,ro", path])
  }

  /// Simulates a power cut: nothing more reaches the image, not even data in the journal's memory.
  func cutPower() throws {
    let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { throw Failure(description: "\(path): \(errno)") }
    defer { close(directory) }
    // The directory must not be on the file system of the machine.
    var (own, other) = (stat(), stat())
    guard case .image = kind, fstat(directory, &own) == 0, stat(scratch.path, &other) == 0,
      own.st_dev != other.st_dev
    else { throw Failure(description: "\(path) is not a file system of its own") }
    // EXT4_IOC_SHUTDOWN, _IOR('X', 125, __u32), with EXT4_GOING_FLAGS_NOLOGFLUSH.
    var flags: UInt32 = 2
    guard ioctl(directory, 0x8004_587D, &flags) == 0 else {
      throw Failure(description: "the power of \(path) could not be cut: \(errno)")
    }
  }

  /// The number of free bytes.
  var free: Int {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return 0 }
    return Int(status.f_bavail) * Int(status.f_frsize)
  }

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private static func run(_ name: String, _ arguments: [String]) throws {
    guard let path = Command.path(of: name) ?? ["/sbin/" + name].first(where: { access($0, X_OK) == 0 })
    else { throw Failure(description: "\(name) is not installed") }
    let ended = try Program.run(path, arguments)
    guard ended.ending == .status(0) else { throw Failure(description: "\(name): \(ended.errors)") }
  }
}

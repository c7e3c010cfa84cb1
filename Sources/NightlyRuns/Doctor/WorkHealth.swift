internal import Files
internal import Glibc
internal import RunSchemas
internal import System

/// Checks whether a run could create its directory and remove old runs.
struct WorkHealth {
  private let directories: RunDirectories
  private let keepRuns: Int

  init(_ directories: RunDirectories, keepRuns: Int) {
    (self.directories, self.keepRuns) = (directories, keepRuns)
  }

  /// Checks that runs can be created in the work directory.
  func check() -> HealthCheck {
    var place = directories.root
    while !Directories.exists(place), Directories.parent(of: place) != place {
      place = Directories.parent(of: place)
    }
    let (runs, lock) = (directories.root + "/runs", directories.root + "/lock")
    // If `runs` is a file, a run fails when it lists the old runs, so `oldRuns()` reports this error.
    let own = [runs].filter(Directories.isDirectory) + [lock].filter(Directories.exists)
    guard Directories.isDirectory(place) else {
      return HealthCheck(
        "work", .ill(.cannotCreate), "\(place) is not a directory; choose another path with --work")
    }
    if let closed = ([place] + own).first(where: { unsafe access($0, W_OK) != 0 }) {
      return HealthCheck(
        "work", .ill(.cannotCreate),
        "this account cannot write to \(closed); grant the permission, or choose another directory with --work"
      )
    }
    do throws(FileError) {
      try directories.checkLatest()
    } catch {
      return HealthCheck("work", error)
    }
    return HealthCheck("work", .well, directories.root)
  }

  /// Checks that a run can remove old runs before its first stage. Returns `nil` if it can.
  func oldRuns() -> HealthCheck? {
    do throws(FileError) {
      for run in try directories.numbers() { _ = try Directories.names(in: directories.path(of: run)) }
      return Self.refused(try directories.removedBefore(keeping: keepRuns))
    } catch {
      return HealthCheck("old runs", error)
    }
  }

  /// Checks that a complete run can remove the surplus runs after its last stage. Returns `nil` if it can.
  func surplusRuns() -> HealthCheck? {
    do throws(FileError) {
      return Self.refused(try directories.removedAfter(keeping: keepRuns))
    } catch {
      return HealthCheck("old runs", error)
    }
  }

  private static func refused(_ runs: [String]) -> HealthCheck? {
    guard let obstacle = runs.lazy.compactMap(Directories.obstacle(toRemoving:)).first else { return nil }
    return HealthCheck(
      "old runs", .ill(.ioError),
      "a run needs to remove an old run, but this account cannot remove the files in \(obstacle); grant the "
        + "permission, or remove the old run with another account")
  }
}

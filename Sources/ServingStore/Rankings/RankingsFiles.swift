import Files

/// The files of a rankings directory.
struct RankingsFiles {
  let directory: String

  /// The paths of a list's part files; at least one.
  func parts(of list: String) throws(ServingStoreError) -> [String] {
    // A missing file that the run's manifest lists means damage. This check comes first, so that such a file
    // is not reported as a wrong name of a list.
    try ServingStoreError.translatingFiles { () throws(FileError) in
      try StoredFiles.checkLengths(in: directory)
    }
    let path = "\(directory)/\(list)"
    let names: [String]
    do throws(FileError) {
      names = try Directories.names(in: path)
    } catch {
      guard error.operation == .find else {
        throw ServingStoreError(
          .unreadableRankings, address: directory, place: .init(file: path),
          found: "the directory cannot be listed: \(error.reason)",
          nextStep: "check the permissions and the disk")
      }
      throw missing(path, "the list has no directory")
    }
    let parts = names.filter { $0.hasPrefix("part-") && $0.hasSuffix(".jsonl") }
    guard !parts.isEmpty else { throw missing(path, "the list's directory has no part-*.jsonl") }
    return parts.map { "\(path)/\($0)" }
  }

  private func missing(_ path: String, _ found: String) -> ServingStoreError {
    ServingStoreError(
      .missingRankings, address: directory, place: .init(file: path), found: found,
      nextStep: "run the rank stage, or correct the name of the list")
  }
}

extension ServingStoreError {
  /// The error for a file of rankings that is damaged or cannot be read.
  init(_ error: FileError) {
    // A next step follows a semicolon, so it begins with a lowercase letter and has no full stop at its end.
    var advice = error.advice.prefix(1).lowercased() + String(error.advice.dropFirst())
    if advice.hasSuffix(".") { advice.removeLast() }
    self.init(
      .unreadableRankings, address: error.path, place: .init(file: error.path), found: error.reason,
      nextStep: advice.isEmpty ? "check the permissions and the disk" : advice)
  }

  /// Calls `body` and turns its error about a file into an error about the rankings.
  static func translatingFiles<Result: ~Copyable>(
    _ body: () throws(FileError) -> Result
  ) throws(ServingStoreError) -> Result {
    do throws(FileError) { return try body() } catch { throw ServingStoreError(error) }
  }
}

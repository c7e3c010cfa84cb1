import Files

/// The files of a rankings directory.
struct RankingsFiles {
  let directory: String

  /// Returns the paths of a list's part files; at least one.
  func parts(of list: String) throws(ServingStoreError) -> [String] {
    // If a file of the manifest is missing, the run is damaged. This check comes first, because the errors
    // below would suggest that the name of the list is wrong.
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
  /// Creates the error for a rankings file that is damaged or cannot be read.
  init(_ error: FileError) {
    // A next step follows a semicolon, so it begins with a lowercase letter and does not end with a period.
    var advice = error.advice.prefix(1).lowercased() + String(error.advice.dropFirst())
    if advice.hasSuffix(".") { advice.removeLast() }
    self.init(
      .unreadableRankings, address: error.path, place: .init(file: error.path), found: error.reason,
      nextStep: advice.isEmpty ? "check the permissions and the disk" : advice)
  }

  /// Calls `body`, and converts its error about a file to an error about the rankings.
  static func translatingFiles<Result: ~Copyable>(
    _ body: () throws(FileError) -> Result
  ) throws(ServingStoreError) -> Result {
    do throws(FileError) { return try body() } catch { throw ServingStoreError(error) }
  }
}

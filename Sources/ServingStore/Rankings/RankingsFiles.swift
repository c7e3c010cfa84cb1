import Foundation

/// The files of a rankings directory.
struct RankingsFiles {
  let directory: String

  /// The paths of a list's parts; at least one.
  func parts(of list: String) throws(ServingStoreError) -> [String] {
    let path = "\(directory)/\(list)"
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      throw missing(path, "the list's directory cannot be read")
    }
    let parts = names.filter { $0.hasPrefix("part-") && $0.hasSuffix(".jsonl") }
    guard !parts.isEmpty else { throw missing(path, "the list's directory has no part-*.jsonl") }
    return parts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { "\(path)/\($0)" }
  }

  private func missing(_ path: String, _ found: String) -> ServingStoreError {
    ServingStoreError(
      .missingRankings, address: directory, place: .init(file: path), found: found,
      nextStep: "run the rank stage, or correct the list's name")
  }
}

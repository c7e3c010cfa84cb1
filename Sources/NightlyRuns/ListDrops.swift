internal import Files
internal import PipelineFile
internal import RunSchemas
internal import System
internal import Text

/// Compares the lists of a run with the last complete run, before anything is evaluated or published.
///
/// The stores have a guard of their own, which compares with what they serve. This check also covers pipelines
/// without a store, new stores, and lists that exist but are empty.
struct ListDrops {
  let pipeline: Pipeline
  let directories: RunDirectories
  /// The run directory.
  let directory: String

  /// Checks that no list lost more than the allowed share of the users who have a candidate.
  ///
  /// Nothing is compared if the last complete run has a later as-of time: this run then looks back at fewer
  /// people.
  ///
  /// - Throws: `FileError` if the rankings of this run cannot be read; `StageFailure` with `badData` if a list
  ///   lost too many users.
  func check() throws {
    let name = Stage.rank.directory
    let lists = try Manifest(of: directory + "/" + name)
    // If the last run is damaged or of an older version, it must not stop tonight's lists.
    guard let last = try? Manifest(of: directories.root + "/latest/" + name), last.asOf <= lists.asOf else {
      return
    }
    let stated = pipeline.publication?.usersDropAtMost
    let limit = stated ?? Pipeline.Expectations.usualDrop
    let least = stated == nil ? Pipeline.Expectations.leastDrop : 1
    let drops = pipeline.rankings.compactMap { ranking -> String? in
      guard let before = Self.users(of: ranking.name, in: last), before > 0,
        let now = Self.users(of: ranking.name, in: lists)
      else { return nil }
      let share = Double(before - now) / Double(before)
      guard share > limit, before - now >= least else { return nil }
      return "\(ranking.name): \(now.counted("user")) with a candidate, and \(before.grouped) in the last "
        + "complete run (\(share.percent) fewer; users_drop_at_most is \(limit.percent))"
    }
    guard drops.isEmpty else {
      throw StageFailure(
        .badData,
        "lists lost users, so nothing is published: \(drops.joined(separator: "; ")). Check the exports and the "
          + "rejects of '\(directory)'. If the lists are right, continue with "
          + "'nightjar run --resume --accept-drop'.")
    }
  }

  /// The number of users with at least one candidate in a list; `nil` if the run has no such list.
  private static func users(of list: String, in manifest: Manifest) -> Int? {
    guard let users = manifest.counts["lists"]?[list]?["users"], let total = users["total"]?.integerValue
    else { return nil }
    return total - (users["empty_lists"]?.integerValue ?? 0)
  }
}

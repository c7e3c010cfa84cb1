internal import Files
internal import PipelineFile
internal import RunSchemas
internal import System
internal import Text

/// Compares the lists, matches and catalogs of a run with the output of the last complete run, before
/// anything is evaluated or published.
///
/// The publish stage has its own guards, which compare the lists with the served generation. This check also
/// covers pipelines without a store, new stores, and lists that exist but are empty.
struct ListDrops {
  let pipeline: Pipeline
  let directories: RunDirectories
  /// The run directory.
  let directory: String

  /// Checks that no ranking lost more than the allowed share of its users with at least one candidate. For
  /// matches and catalogs, the limit is this share or `usualDrop`, whichever is larger.
  ///
  /// Skips the comparison if the last complete run has a later as-of time, because fewer people existed at
  /// the earlier as-of time of this run.
  ///
  /// - Throws: `FileError` if the rankings of this run cannot be read; `StageFailure` with `badData` if a
  ///   ranking lost too many users, or if matches or a catalog lost too many entries.
  func check() throws {
    let name = Stage.rank.directory
    let lists = try Manifest(of: directory + "/" + name)
    // This run must continue even if the last complete run is damaged or comes from an older version.
    guard let last = try? Manifest(of: directories.root + "/latest/" + name), last.asOf <= lists.asOf else {
      return
    }
    let stated = pipeline.publication?.usersDropAtMost
    let usual = Pipeline.Expectations.usualDrop
    let now = Self.counts(in: lists, pipeline)
    let drops = Self.counts(in: last, pipeline).compactMap { before -> String? in
      guard before.count > 0, let now = now.first(where: { $0.name == before.name })?.count else {
        return nil
      }
      // The limit in the pipeline file applies to users. For matches and entries, only a large drop indicates
      // a problem.
      let limit = before.isOfUsers ? stated ?? usual : max(stated ?? usual, usual)
      let isStated = stated != nil && before.isOfUsers
      let drop = before.count - now
      let share = Double(drop) / Double(before.count)
      guard share > limit, isStated || Pipeline.Expectations.isNotable(drop, of: before.count) else {
        return nil
      }
      let rule =
        before.isOfUsers
        ? "the limit 'publish.guards.users_drop_at_most'" : "the limit for matches and catalogs"
      return
        "\(before.name): \(now.counted(before.unit, before.units)), down from \(before.count.grouped) in the "
        + "last complete run (\(share.percent) fewer; \(rule) is \(limit.percent))"
    }
    guard drops.isEmpty else {
      let command = ShownCommand.text(
        "run", pipeline.file, set: pipeline.overrides, work: directories.work, "--resume", "--accept-drop")
      throw StageFailure(
        .badData,
        "the lists are not published, because lists, matches or catalogs shrank: \(drops.joined(separator: "; ")). Check the exports and the "
          + "rejects of '\(directory)'. If the new sizes are right, continue with "
          + "'\(command)'.")
    }
  }

  /// The size of a ranking, of matches or of a catalog.
  private struct Count {
    var name: String
    var count: Int
    var unit: String
    var units: String
    /// Whether `count` counts users. If not, it counts matches or entries.
    var isOfUsers = false
  }

  /// Returns one count per name: the users with at least one candidate for a ranking, the matches for a kind
  /// of match, or the entries for a catalog. Names that are missing in the manifest are left out.
  private static func counts(in manifest: Manifest, _ pipeline: Pipeline) -> [Count] {
    let lists = pipeline.rankings.compactMap { ranking -> Count? in
      guard let users = manifest.counts["lists"]?[ranking.name]?["users"],
        let total = users["total"]?.integerValue
      else { return nil }
      return Count(
        name: ranking.name, count: total - (users["empty_lists"]?.integerValue ?? 0),
        unit: "user with a candidate", units: "users with a candidate", isOfUsers: true)
    }
    let matches = pipeline.matches.compactMap { list in
      manifest.counts["matches"]?[list.name]?.integerValue.map {
        Count(name: list.name, count: $0, unit: "match", units: "matches")
      }
    }
    let entries = CatalogCounts.entries(in: manifest.counts)
    let catalogs = pipeline.catalogs.compactMap { list in
      entries[list.name]?.integerValue.map {
        Count(name: list.name, count: $0, unit: "entry", units: "entries")
      }
    }
    return lists + matches + catalogs
  }
}

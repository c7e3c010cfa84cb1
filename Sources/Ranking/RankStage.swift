package import Concurrency
package import Files
package import PipelineFile
internal import RunSchemas
internal import Text

/// Makes the lists, catalogs and matches of a run.
///
/// The module `Ranking` applies the pipeline file's rules and orders, and writes lists, catalogs and matches.
/// The module does not depend on `Models` or `ServingStore`. It reads the models from the files of the run,
/// and `publish` reads the lists from these files.
///
/// ```
/// rankings/<list>/part-00000.jsonl     one line per user, in the order of ids
/// rankings/<list>.csv                  one row per recommendation
/// rankings/<catalog>/part-00000.jsonl  one line per entry, in the order of keys
/// rankings/<catalog>.csv               one row per entry
/// rankings/<matches>.csv               one row per match
/// rankings/funnel.json                 the number of candidates that each rule removes
/// rankings/manifest.json, _SUCCESS
/// ```
package enum RankStage {
  package static let name = "rankings"

  /// Ranks candidates for every user under every ranking of the pipeline, and writes the stage directory.
  ///
  /// - Parameters:
  ///   - pipeline: The effective pipeline file.
  ///   - run: The run directory, which contains `snapshot`, `index` and, if the pipeline has a model,
  ///     `models`.
  ///   - method: The method of searching for the lists. It affects only the speed, and the method's name in
  ///     the manifest.
  ///   - threads: The number of threads; the result does not depend on it.
  ///   - progress: Counts the users of all rankings.
  ///   - tool: The name and version for the manifest.
  /// - Returns: The manifest. Its counts contain `lists` (as in `funnel.json`), `matches`, `search`, `shown`
  ///   (how the lists show candidates), and `catalogs` if there are any.
  /// - Throws: `FileError`; for discovery, also `MissingLibrary` and `NoMemoryForSolving`.
  package static func run(
    _ pipeline: Pipeline, in run: String, method: Recommender.Method = .auto, threads: Int,
    progress: WorkProgress = WorkProgress(), tool: String
  ) throws -> Manifest {
    let snapshot = try Snapshot(
      run + "/snapshot", entities: pipeline.entities.map(\.schema),
      interactions: pipeline.interactions.map(\.schema), requests: pipeline.requests.map(\.schema))
    let parents = try Manifest.parents(
      ["snapshot", "index"] + (pipeline.isFitted ? ["models"] : []), in: run)
    var directory = try StageDirectory(name, in: run)
    var lists: [String: JSONValue] = [:]
    var (searches, shown) = ([String: JSONValue](), [String: JSONValue]())
    progress.begin(
      "users", total: pipeline.rankings.reduce(0) { $0 + (snapshot.entities[$1.users]?.count ?? 0) })
    var users = 0
    for ranking in pipeline.rankings {
      let ranker = try ListRanker(ranking, pipeline, snapshot, run: run, method: method, threads: threads)
      let found = ranker.search(threads: threads, progress)
      try ranker.write(found, to: &directory, threads: threads)
      lists[ranking.name] = found.funnel.json
      shown[ranking.name] = ranker.exposure(by: found)?.shown
      searches[ranking.name] = .string(ranker.recommender.search.name)
      // Users outside the ranking's audience count as done.
      users += snapshot.entities[ranking.users]?.count ?? 0
      progress.set(done: users)
    }
    var entries: [String: Int] = [:]
    for list in pipeline.catalogs {
      let ranker = CatalogRanker(list, pipeline, snapshot)
      try ranker.write(to: &directory)
      lists[list.name] = ranker.funnel
      entries[list.name] = ranker.entryCount
    }
    let funnel = JSONValue.object(lists)
    try directory.write("funnel.json") { (writer) throws(FileError) in try writer.append(funnel.pretty) }
    var matches: [String: Int] = [:]
    for list in pipeline.matches {
      let found = FoundMatches(list, pipeline, snapshot, threads: threads)
      matches[list.name] = found.matches.count
      try directory.write(list.name + ".csv", rows: found.matches.count) { (writer) throws(FileError) in
        try writer.append(found.matches.csv(found.ids, found.otherIDs))
      }
    }
    var counts: [String: JSONValue] = [
      "lists": funnel, "matches": JSONValue(matches), "search": .object(searches), "shown": .object(shown),
    ]
    if !entries.isEmpty { counts[CatalogCounts.key] = JSONValue(entries) }
    return try directory.complete(
      Manifest(
        tool: tool, stage: name, pipeline: pipeline.name, configuration: pipeline.configuration,
        asOf: snapshot.manifest.asOf, seed: pipeline.seed,
        counts: .object(counts), parents: parents),
      marker: "_SUCCESS")
  }
}

extension Exposure {
  /// The figures for the manifest.
  fileprivate var shown: JSONValue { ["coverage": .number(coverage), "gini": .number(gini)] }
}

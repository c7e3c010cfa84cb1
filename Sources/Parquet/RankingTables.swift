internal import Columns
internal import DuckDB
internal import Files
internal import PipelineFile
internal import Ranking
internal import RunSchemas
internal import Text

/// Writes the lists, catalogs and matches of a run in long form.
struct RankingTables {
  let snapshot: Snapshot
  let rankings: String
  let threads: Int

  /// Writes the lists of `ranking`, read from its JSON Lines file, and returns the number of rows. An empty
  /// list has no rows.
  func write(_ ranking: Pipeline.Ranking, to path: String) throws -> Int {
    let lines = try lines(of: ranking.name)
    if ranking.per != nil { return try writeByWord(lines, to: path) }
    return try ParquetFile(path: path, threads: threads).write(
      query: """
        SELECT "user" AS user_id, r.rank AS rank, r.candidate AS candidate_id, r.score AS score,
          r.distance_km AS distance_km
        FROM (SELECT "user", unnest(recommendations) AS r FROM read_json(\(SQL.path(lines)),
          format='newline_delimited', auto_detect=false, compression='uncompressed', columns={"user": 'VARCHAR',
          recommendations: 'STRUCT(rank BIGINT, candidate VARCHAR, score DOUBLE, distance_km DOUBLE)[]'}))
        """)
  }

  /// Returns the path of the JSON Lines file of a ranking or a catalog.
  ///
  /// - Throws: `FileError` if the file is damaged. DuckDB does not compare the file with its manifest.
  private func lines(of name: String) throws(FileError) -> String {
    let path = "\(rankings)/\(name)/part-00000.jsonl"
    _ = try MappedFile(checking: path)
    return path
  }

  /// Writes the lists of a ranking with `per`. The word is a column.
  private func writeByWord(_ lines: String, to path: String) throws -> Int {
    try ParquetFile(path: path, threads: threads).write(
      query: """
        SELECT "user" AS user_id, word, r.rank AS rank, r.candidate AS candidate_id, r.score AS score,
          r.distance_km AS distance_km
        FROM (SELECT "user", word, unnest(list.recommendations) AS r
          FROM (SELECT "user", unnest(map_keys(lists)) AS word, unnest(map_values(lists)) AS list
            FROM read_json(\(SQL.path(lines)),
              format='newline_delimited', auto_detect=false, compression='uncompressed', columns={"user": 'VARCHAR',
              lists: 'MAP(VARCHAR, STRUCT(recommendations
                STRUCT(rank BIGINT, candidate VARCHAR, score DOUBLE, distance_km DOUBLE)[]))'})))
        """)
  }

  /// Writes the entries of `catalog`, read from its JSON Lines file, and returns the number of rows.
  func write(_ catalog: Pipeline.Catalog, to path: String) throws -> Int {
    let lines = try lines(of: catalog.name)
    return try ParquetFile(path: path, threads: threads).write(
      query: """
        SELECT "key", rank, candidate AS candidate_id FROM read_json(\(SQL.path(lines)),
          format='newline_delimited', auto_detect=false, compression='uncompressed',
          columns={"key": 'VARCHAR', rank: 'BIGINT', candidate: 'VARCHAR'})
        """)
  }

  /// Writes the matches of `list`, and returns their number.
  func write(_ list: Pipeline.MatchList, of pipeline: Pipeline, to path: String) throws -> Int {
    // The matches are computed again from the snapshot, because the run's CSV file of matches is meant for
    // people.
    let found = FoundMatches(list, pipeline, snapshot)
    let columns = [
      ParquetColumn("user_id", .text), ParquetColumn("other_user_id", .text),
      ParquetColumn("matched_at", .time),
    ]
    let longest = found.ids.longest + found.otherIDs.longest
    return try ParquetFile(path: path, threads: threads).write(columns, longestTexts: longest) { rows in
      for match in found.matches {
        rows.append(found.ids.bytes(Int(match.first)))
        rows.append(found.otherIDs.bytes(Int(match.second)))
        rows.append(match.since.milliseconds)
        try rows.endRow()
      }
    }
  }
}

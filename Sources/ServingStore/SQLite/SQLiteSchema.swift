/// The schema of a SQLite serving store, version 2.
///
/// SQLite keeps the statements in the file unchanged, including comments. `sqlite3 serving.sqlite .schema`
/// prints them.
///
/// Design decisions:
/// - Rows refer to a row of `contents`, not to names. This keeps keys short, lets a list be dropped by its
///   `content_id`, and allows empty lists.
/// - `lists` has rowids, because documents of 2 KB are better stored in the leaves of a table than in an
///   index (15 µs per lookup instead of 28 µs with 4 KB pages). With documents of 2.7 KB, a page of 8 KB
///   holds two documents, and a page of 16 KB holds five. The larger page therefore makes the file a fifth
///   smaller. Rows of the other tables are small, so they need no rowids.
/// - Text has SQLite's BINARY collation, which compares bytes. U+0000 in an id is kept.
enum SQLiteSchema {
  /// The `application_id` of files of this program: "NtJr".
  static let applicationID: Int32 = 0x4E74_4A72

  /// The version of the schema, which is the `user_version` of the file. The version increases when earlier
  /// versions of the program can no longer read the file. Version 1 had directories instead of catalogs.
  static let version: Int32 = 2

  /// The size of a database page in bytes.
  static let pageSize = 16384

  /// The advice for a damaged store.
  static let restoration =
    "restore the file from a backup, or move it away and publish again to create a new store"

  /// Returns the error for a damaged store.
  static func damage(_ found: String, _ address: StoreAddress) -> ServingStoreError {
    ServingStoreError(.corrupt, address: address.description, found: found, nextStep: restoration)
  }

  /// The columns and constraints of `contents`.
  static let contents = """
    (
      -- The parts of a generation: its lists, catalogs, and tables of matches, people, positions and buckets.
      content_id INTEGER PRIMARY KEY,
      pipeline TEXT NOT NULL,
      generation INTEGER NOT NULL,
      kind TEXT NOT NULL
        CHECK (kind IN ('list', 'matches', 'people', 'positions', 'buckets', 'catalog')),
      name TEXT NOT NULL,
      row_count INTEGER NOT NULL,
      UNIQUE (pipeline, generation, kind, name),
      FOREIGN KEY (pipeline, generation) REFERENCES generations (pipeline, number) ON DELETE CASCADE
    ) STRICT
    """

  /// The statements that create the schema in an empty file. Run them in a transaction.
  static let creation = """
    CREATE TABLE generations (
      -- One published, immutable version of all lists of a pipeline.
      pipeline TEXT NOT NULL,
      number INTEGER NOT NULL,   -- counts up from 1 within the pipeline; a number is never used again
      run INTEGER NOT NULL,      -- the run that made the lists
      as_of_ms INTEGER NOT NULL, -- the run's as-of time: milliseconds since 1970 UTC
      note TEXT,                 -- JSON: digests, overridden guards, and numbers of empty lists
      PRIMARY KEY (pipeline, number)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE served (
      -- The generation of each pipeline that readers see.
      pipeline TEXT PRIMARY KEY,
      generation INTEGER NOT NULL,
      FOREIGN KEY (pipeline, generation) REFERENCES generations (pipeline, number)
        DEFERRABLE INITIALLY DEFERRED
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE contents \(contents);

    CREATE TABLE lists (
      -- One JSON document per user and list.
      content_id INTEGER NOT NULL REFERENCES contents ON DELETE CASCADE,
      user_id TEXT NOT NULL,
      document TEXT NOT NULL CONSTRAINT document_is_json CHECK (json_valid(document)),
      UNIQUE (content_id, user_id)
    ) STRICT;

    CREATE TABLE matches (
      -- One row per pair of people who match, as in the matches file.
      content_id INTEGER NOT NULL REFERENCES contents ON DELETE CASCADE,
      user_id TEXT NOT NULL,
      other_user_id TEXT NOT NULL,
      matched_at TEXT, -- NULL if unknown
      PRIMARY KEY (content_id, user_id, other_user_id)
    ) STRICT, WITHOUT ROWID;

    CREATE INDEX matches_by_other ON matches (content_id, other_user_id);

    CREATE TABLE people (
      -- The published attributes of a person or thing.
      content_id INTEGER NOT NULL REFERENCES contents ON DELETE CASCADE,
      id TEXT NOT NULL,
      attributes TEXT NOT NULL CONSTRAINT attributes_are_json CHECK (json_valid(attributes)),
      PRIMARY KEY (content_id, id)
    ) STRICT, WITHOUT ROWID;

    CREATE VIEW served_lists (pipeline, list, user_id, document) AS
      -- The documents of the served generations.
      SELECT contents.pipeline, contents.name, lists.user_id, lists.document
      FROM served
      JOIN contents ON contents.pipeline = served.pipeline
        AND contents.generation = served.generation AND contents.kind = 'list'
      JOIN lists ON lists.content_id = contents.content_id;

    CREATE VIEW recommendations (pipeline, list, user_id, rank, candidate_id, score, distance_km) AS
      -- The served lists in long form, one row per recommendation.
      -- SQLite truncates JSON strings at U+0000. If an id contains U+0000, candidate_id is therefore NULL, so that
      -- it does not identify another person. The document contains the whole id. Pairs of backslashes are removed
      -- before the search for the escape of U+0000, because a pair encodes one backslash.
      SELECT served_lists.pipeline, served_lists.list, served_lists.user_id,
        entry.value ->> '$.rank',
        CASE WHEN instr(replace(entry.value -> '$.candidate', '\\\\', ''), '\\u0000') = 0
          THEN entry.value ->> '$.candidate' END,
        entry.value ->> '$.score',
        entry.value ->> '$.distance_km'
      FROM served_lists, json_each(served_lists.document, '$.recommendations') AS entry;

    CREATE VIEW served_matches (pipeline, name, user_id, other_user_id, matched_at) AS
      -- The matches of the served generations, one row per side, so that WHERE user_id = ... finds all matches of a user.
      SELECT contents.pipeline, contents.name, matches.user_id, matches.other_user_id, matches.matched_at
      FROM served
      JOIN contents ON contents.pipeline = served.pipeline
        AND contents.generation = served.generation AND contents.kind = 'matches'
      JOIN matches ON matches.content_id = contents.content_id
      UNION
      SELECT contents.pipeline, contents.name, matches.other_user_id, matches.user_id, matches.matched_at
      FROM served
      JOIN contents ON contents.pipeline = served.pipeline
        AND contents.generation = served.generation AND contents.kind = 'matches'
      JOIN matches ON matches.content_id = contents.content_id;

    CREATE VIEW served_people (pipeline, entity, id, attributes) AS
      -- The people of the served generations.
      SELECT contents.pipeline, contents.name, people.id, people.attributes
      FROM served
      JOIN contents ON contents.pipeline = served.pipeline
        AND contents.generation = served.generation AND contents.kind = 'people'
      JOIN people ON people.content_id = contents.content_id;

    \(places)

    PRAGMA application_id = \(applicationID);
    PRAGMA user_version = \(version);
    """
}

/// The schema `nightjar` of a PostgreSQL database, version 2.
///
/// Design decisions:
/// - Rows refer to a row of `contents`, not to names. This keeps keys short and allows empty lists. The
///   tables of rows have no foreign keys, because the server would check a key for each row, and only
///   publications and erasures change rows.
/// - All generations share the same tables, and readers find their rows through the pointer in `served`. A
///   dropped or renamed table would disappear at once, even for readers of an older snapshot.
/// - A document is `json`, not `jsonb`, because `json` keeps the text byte for byte and allows U+0000 as an
///   escape.
/// - Text has the collation "C", which compares bytes.
enum PostgreSQLSchema {
  /// The version of the schema. The version increases when earlier versions of the program can no longer read
  /// the tables. Version 1 had directories instead of catalogs.
  static let version = 2

  /// The first key of the advisory locks: "NtJr".
  static let lock: Int32 = 0x4E74_4A72

  /// Returns the error for a damaged store.
  static func damage(_ found: String, _ address: StoreAddress) -> ServingStoreError {
    ServingStoreError(
      .corrupt, address: address.description, found: found,
      nextStep: "restore the schema 'nightjar' from a backup, or drop it and publish again")
  }

  /// The statements that create all tables, views and functions in an existing schema. Run them in a
  /// transaction.
  static let creation = """
    CREATE TABLE nightjar.store (version integer NOT NULL);
    INSERT INTO nightjar.store VALUES (\(version));

    CREATE TABLE nightjar.generations (
      pipeline text COLLATE "C" NOT NULL,
      number bigint NOT NULL,
      run bigint NOT NULL,
      as_of_ms bigint NOT NULL,
      note json NOT NULL,
      PRIMARY KEY (pipeline, number)
    );
    COMMENT ON TABLE nightjar.generations IS 'One published, immutable version of all lists of a pipeline.';
    COMMENT ON COLUMN nightjar.generations.number IS 'counts up from 1 within the pipeline; a number is never used again';
    COMMENT ON COLUMN nightjar.generations.run IS 'the run that made the lists';
    COMMENT ON COLUMN nightjar.generations.as_of_ms IS
      'the run''s as-of time: milliseconds since 1970 UTC';
    COMMENT ON COLUMN nightjar.generations.note IS
      'digests, overridden guards, and numbers of empty lists';

    CREATE TABLE nightjar.served (
      pipeline text COLLATE "C" PRIMARY KEY,
      generation bigint NOT NULL,
      FOREIGN KEY (pipeline, generation) REFERENCES nightjar.generations (pipeline, number)
    );
    COMMENT ON TABLE nightjar.served IS 'The generation of each pipeline that readers see.';

    CREATE TABLE nightjar.contents (
      content_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      pipeline text COLLATE "C" NOT NULL,
      generation bigint NOT NULL,
      kind text COLLATE "C" NOT NULL CHECK (kind IN ('list', 'matches', 'people')),
      name text COLLATE "C" NOT NULL,
      row_count bigint NOT NULL,
      UNIQUE (pipeline, generation, kind, name),
      FOREIGN KEY (pipeline, generation) REFERENCES nightjar.generations (pipeline, number)
    );
    COMMENT ON TABLE nightjar.contents IS
      'The parts of a generation: its lists, catalogs, and tables of matches, people, positions and buckets.';

    CREATE TABLE nightjar.lists (
      content_id bigint NOT NULL,
      user_id text COLLATE "C" NOT NULL,
      document json NOT NULL,
      PRIMARY KEY (content_id, user_id)
    );
    COMMENT ON TABLE nightjar.lists IS 'One JSON document per user and list.';

    CREATE TABLE nightjar.matches (
      content_id bigint NOT NULL,
      user_id text COLLATE "C" NOT NULL,
      other_user_id text COLLATE "C" NOT NULL,
      matched_at text COLLATE "C",
      PRIMARY KEY (content_id, user_id, other_user_id)
    );
    CREATE INDEX matches_by_other ON nightjar.matches (content_id, other_user_id);
    COMMENT ON TABLE nightjar.matches IS 'One row per pair of people who match, as in the matches file.';
    COMMENT ON COLUMN nightjar.matches.matched_at IS 'NULL if unknown';

    CREATE TABLE nightjar.people (
      content_id bigint NOT NULL,
      id text COLLATE "C" NOT NULL,
      attributes json NOT NULL,
      PRIMARY KEY (content_id, id)
    );
    COMMENT ON TABLE nightjar.people IS
      'The published attributes of a person or thing.';

    CREATE VIEW nightjar.served_lists (pipeline, list, user_id, document) AS
      SELECT contents.pipeline, contents.name, lists.user_id, lists.document
      FROM nightjar.served
      JOIN nightjar.contents ON contents.pipeline = served.pipeline
        AND contents.generation = served.generation AND contents.kind = 'list'
      JOIN nightjar.lists ON lists.content_id = contents.content_id;

    CREATE VIEW nightjar.recommendations (pipeline, list, user_id, rank, candidate_id, score, distance_km) AS
      -- A PostgreSQL text cannot contain U+0000, and JSON operators fail if a document contains the escape of U+0000.
      -- The view replaces this escape with U+FFFF, which is not a character. If an id contains U+FFFF, candidate_id is
      -- NULL. A pair of backslashes encodes one backslash and does not begin another escape, so U+0001 replaces such
      -- pairs temporarily. Valid JSON contains U+0001 only as an escape.
      SELECT pipeline, list, user_id, (entry ->> 'rank')::integer,
        CASE WHEN strpos(entry ->> 'candidate', chr(65535)) = 0 THEN entry ->> 'candidate' END,
        (entry ->> 'score')::double precision, (entry ->> 'distance_km')::double precision
      FROM nightjar.served_lists,
        json_array_elements(
          CASE WHEN strpos(document::text, '\\u0000') = 0 THEN document
            ELSE replace(replace(replace(document::text, '\\\\', chr(1)), '\\u0000', '\\uFFFF'), chr(1), '\\\\')::json
          END -> 'recommendations') AS entry;

    CREATE VIEW nightjar.served_matches (pipeline, name, user_id, other_user_id, matched_at) AS
      SELECT contents.pipeline, contents.name, matches.user_id, matches.other_user_id, matches.matched_at
      FROM nightjar.served
      JOIN nightjar.contents ON contents.pipeline = served.pipeline
        AND contents.generation = served.generation AND contents.kind = 'matches'
      JOIN nightjar.matches ON matches.content_id = contents.content_id
      UNION
      SELECT contents.pipeline, contents.name, matches.other_user_id, matches.user_id, matches.matched_at
      FROM nightjar.served
      JOIN nightjar.contents ON contents.pipeline = served.pipeline
        AND contents.generation = served.generation AND contents.kind = 'matches'
      JOIN nightjar.matches ON matches.content_id = contents.content_id;

    CREATE VIEW nightjar.served_people (pipeline, entity, id, attributes) AS
      SELECT contents.pipeline, contents.name, people.id, people.attributes
      FROM nightjar.served
      JOIN nightjar.contents ON contents.pipeline = served.pipeline
        AND contents.generation = served.generation AND contents.kind = 'people'
      JOIN nightjar.people ON people.content_id = contents.content_id;

    \(places)
    """
}

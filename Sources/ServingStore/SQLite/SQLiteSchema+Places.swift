// Tables for apps with maps and catalogs. A store of an earlier version gets these tables when it is next
// opened for publishing.
extension SQLiteSchema {
  /// The statements that create the tables, triggers and views.
  ///
  /// Design decisions:
  /// - An R*Tree cannot have foreign keys or text columns. `positions` therefore contains the rows, and
  ///   triggers keep the R*Tree `position_boxes` in sync. In the R*Tree, a point is a box without extent,
  ///   rounded outward to 32-bit numbers.
  /// - The `content_id` of a row is a dimension of the R*Tree, so a search skips the rows of other
  ///   generations.
  static let places = """
    CREATE TABLE positions (
      -- The position of a person or thing: the center of its cell.
      position_id INTEGER PRIMARY KEY,
      content_id INTEGER NOT NULL REFERENCES contents ON DELETE CASCADE,
      id TEXT NOT NULL,
      latitude REAL NOT NULL,  -- degrees
      longitude REAL NOT NULL, -- degrees
      geohash TEXT NOT NULL,   -- the cell
      UNIQUE (content_id, id)
    ) STRICT;

    CREATE VIRTUAL TABLE position_boxes USING rtree(
      position_id, first_content, last_content, south, north, west, east);

    CREATE TRIGGER position_added AFTER INSERT ON positions BEGIN
      INSERT INTO position_boxes VALUES (NEW.position_id, NEW.content_id, NEW.content_id,
        NEW.latitude, NEW.latitude, NEW.longitude, NEW.longitude);
    END;

    CREATE TRIGGER position_removed AFTER DELETE ON positions BEGIN
      DELETE FROM position_boxes WHERE position_id = OLD.position_id;
    END;

    CREATE TABLE buckets (
      -- The row counts, as JSON, of each cell that contains a person or thing.
      content_id INTEGER NOT NULL REFERENCES contents ON DELETE CASCADE,
      cell TEXT NOT NULL, -- a geohash
      bucket TEXT NOT NULL CONSTRAINT bucket_is_json CHECK (json_valid(bucket)),
      PRIMARY KEY (content_id, cell)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE catalogs (
      -- Lists for keys, such as counties, instead of users: one row per entry, best first.
      content_id INTEGER NOT NULL REFERENCES contents ON DELETE CASCADE,
      key TEXT NOT NULL,
      rank INTEGER NOT NULL, -- counts up from 1 within the key
      entry TEXT NOT NULL CONSTRAINT entry_is_json CHECK (json_valid(entry)),
      PRIMARY KEY (content_id, key, rank)
    ) STRICT, WITHOUT ROWID;

    CREATE VIEW served_positions (pipeline, entity, id, latitude, longitude, geohash) AS
      -- The positions of the served generations, for lookups by id.
      SELECT contents.pipeline, contents.name, positions.id, latitude, longitude, geohash
      FROM served
      JOIN contents ON contents.pipeline = served.pipeline
        AND contents.generation = served.generation AND contents.kind = 'positions'
      JOIN positions ON positions.content_id = contents.content_id;

    CREATE VIEW served_boxes (pipeline, entity, id, latitude, longitude, south, north, west, east) AS
      -- The served positions with their boxes in the R*Tree, for searches in rectangles and circles. A query must
      -- constrain south, north, west and east.
      SELECT contents.pipeline, contents.name, positions.id, latitude, longitude, south, north, west, east
      FROM served
      CROSS JOIN contents ON contents.pipeline = served.pipeline
        AND contents.generation = served.generation AND contents.kind = 'positions'
      CROSS JOIN position_boxes ON first_content <= contents.content_id
        AND last_content >= contents.content_id
      CROSS JOIN positions ON positions.position_id = position_boxes.position_id
        AND positions.content_id = contents.content_id;

    CREATE VIEW served_buckets (pipeline, entity, cell, bucket) AS
      -- The cells of the served generations.
      SELECT contents.pipeline, contents.name, buckets.cell, buckets.bucket
      FROM served
      JOIN contents ON contents.pipeline = served.pipeline
        AND contents.generation = served.generation AND contents.kind = 'buckets'
      JOIN buckets ON buckets.content_id = contents.content_id;

    \(servedCatalogs)
    """

  static let servedCatalogs = """
    CREATE VIEW served_catalogs (pipeline, catalog, key, rank, entry) AS
      -- The catalogs of the served generations.
      SELECT contents.pipeline, contents.name, catalogs.key, catalogs.rank, catalogs.entry
      FROM served
      JOIN contents ON contents.pipeline = served.pipeline
        AND contents.generation = served.generation AND contents.kind = 'catalog'
      JOIN catalogs ON catalogs.content_id = contents.content_id;
    """
}

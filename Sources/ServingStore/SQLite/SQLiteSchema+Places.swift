// Tables for apps with maps and catalogs. A store of an earlier version gets these tables the next time the
// store is opened for publishing.
extension SQLiteSchema {
  /// Creates the tables and triggers.
  ///
  /// Design decisions:
  /// - An R*Tree has no foreign keys and no text columns. `positions` therefore has the rows, and triggers
  ///   keep the R*Tree `position_boxes` in sync. A point is a box without extent, rounded outward to 32 bits.
  /// - The table to which a row belongs is a dimension of the tree, so rows of other generations are never
  ///   visited.
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
      -- The cells that contain a person or thing.
      content_id INTEGER NOT NULL REFERENCES contents ON DELETE CASCADE,
      cell TEXT NOT NULL, -- a geohash
      bucket TEXT NOT NULL CONSTRAINT bucket_is_json CHECK (json_valid(bucket)),
      PRIMARY KEY (content_id, cell)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE catalogs (
      -- Lists of a key, such as a county, instead of a user: one row per entry, best first.
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
      -- The served positions with the boxes of the tree, for rectangles and circles. Constrain south, north,
      -- west and east.
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

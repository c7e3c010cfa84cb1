// Tables for apps with maps and catalogs. A store of an earlier version gets these tables when it is next
// opened for publishing.
extension PostgreSQLSchema {
  /// The statements that create the tables, views and functions.
  ///
  /// Design decisions:
  /// - PostGIS is not needed: the index uses PostgreSQL's own points, which support searches in rectangles. A
  ///   circle is searched by its bounding rectangle, or by two rectangles at the antimeridian.
  /// - Functions are written in SQL, because the planner can inline them into the surrounding query.
  static let places = """
    \(kinds)

    CREATE TABLE nightjar.positions (
      content_id bigint NOT NULL,
      id text COLLATE "C" NOT NULL,
      latitude double precision NOT NULL,
      longitude double precision NOT NULL,
      geohash text COLLATE "C" NOT NULL,
      PRIMARY KEY (content_id, id)
    );
    CREATE INDEX positions_by_geohash ON nightjar.positions (content_id, geohash);
    CREATE INDEX positions_by_place ON nightjar.positions USING gist (point(longitude, latitude));
    COMMENT ON TABLE nightjar.positions IS 'The position of a person or thing: the center of its cell.';
    COMMENT ON COLUMN nightjar.positions.latitude IS 'degrees';
    COMMENT ON COLUMN nightjar.positions.longitude IS 'degrees';

    CREATE TABLE nightjar.buckets (
      content_id bigint NOT NULL,
      cell text COLLATE "C" NOT NULL,
      bucket json NOT NULL,
      PRIMARY KEY (content_id, cell)
    );
    COMMENT ON TABLE nightjar.buckets IS 'The row counts, as JSON, of each cell that contains a person or thing.';

    CREATE TABLE nightjar.catalogs (
      content_id bigint NOT NULL,
      key text COLLATE "C" NOT NULL,
      rank bigint NOT NULL,
      entry json NOT NULL,
      PRIMARY KEY (content_id, key, rank)
    );
    COMMENT ON TABLE nightjar.catalogs IS
      'Lists for keys, such as counties, instead of users: one row per entry, best first.';

    CREATE VIEW nightjar.served_positions (pipeline, entity, id, latitude, longitude, geohash) AS
      SELECT contents.pipeline, contents.name, positions.id, latitude, longitude, geohash
      FROM nightjar.served
      JOIN nightjar.contents ON contents.pipeline = served.pipeline
        AND contents.generation = served.generation AND contents.kind = 'positions'
      JOIN nightjar.positions ON positions.content_id = contents.content_id;

    CREATE VIEW nightjar.served_buckets (pipeline, entity, cell, bucket) AS
      SELECT contents.pipeline, contents.name, buckets.cell, buckets.bucket
      FROM nightjar.served
      JOIN nightjar.contents ON contents.pipeline = served.pipeline
        AND contents.generation = served.generation AND contents.kind = 'buckets'
      JOIN nightjar.buckets ON buckets.content_id = contents.content_id;

    \(servedCatalogs)

    -- The great-circle distance by the haversine formula, on a sphere with a radius of 6371.0088 km. The error is below
    -- 0.2 meters near the antipode, and below 1 millimeter elsewhere.
    CREATE FUNCTION nightjar.distance_km(
      latitude_1 double precision, longitude_1 double precision,
      latitude_2 double precision, longitude_2 double precision
    ) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
      SELECT 2 * 6371.0088 * asin(least(1, sqrt(
        sin(radians(latitude_1 - latitude_2) / 2) ^ 2
        + cos(radians(latitude_1)) * cos(radians(latitude_2)) * sin(radians(longitude_1 - longitude_2) / 2) ^ 2)))
    $$;

    -- The people and things that the pipeline serves within a radius of a place, nearest first.
    CREATE FUNCTION nightjar.positions_near(
      pipeline text, entity text, latitude double precision, longitude double precision,
      radius_km double precision
    ) RETURNS TABLE (id text, latitude double precision, longitude double precision, distance_km double precision)
    LANGUAGE sql STABLE PARALLEL SAFE AS $$
      WITH radius AS (
        -- Adds 0.1 millimeters to cover rounding errors.
        SELECT least($5 / 6371.0088, pi()) AS angle, degrees(least($5 / 6371.0088, pi())) + 1e-9 AS height
      ), circle AS (
        SELECT greatest($3 - height, -90) AS south, least($3 + height, 90) AS north,
          CASE WHEN abs($3) + height < 90 AND sin(angle) < cos(radians($3))
            THEN degrees(asin(sin(angle) / cos(radians($3)))) + 1e-9 / cos(radians(abs($3) + height))
            ELSE 180 END AS width
        FROM radius
      ), boxes AS (
        SELECT box(point(-180, south), point(180, north)) AS box FROM circle WHERE width >= 180
        UNION ALL
        SELECT box(point(greatest($4 - width, -180), south), point(least($4 + width, 180), north))
        FROM circle WHERE width < 180
        UNION ALL
        SELECT box(point($4 - width + 360, south), point(180, north))
        FROM circle WHERE width < 180 AND $4 - width < -180
        UNION ALL
        SELECT box(point(-180, south), point($4 + width - 360, north))
        FROM circle WHERE width < 180 AND $4 + width > 180
      ), found AS (
        SELECT positions.id, positions.latitude, positions.longitude,
          nightjar.distance_km($3, $4, positions.latitude, positions.longitude) AS distance
        FROM boxes
        JOIN nightjar.served ON served.pipeline = $1
        JOIN nightjar.contents ON contents.pipeline = $1 AND contents.generation = served.generation
          AND contents.kind = 'positions' AND contents.name = $2
        JOIN nightjar.positions ON positions.content_id = contents.content_id
          AND point(positions.longitude, positions.latitude) <@ boxes.box
      )
      SELECT id, latitude, longitude, distance FROM found WHERE distance <= $5 ORDER BY distance, id
    $$;

    UPDATE nightjar.store SET version = \(version);
    """

  /// The statements that allow the current kinds of tables. Version 1 had fewer kinds.
  private static let kinds = """
    ALTER TABLE nightjar.contents DROP CONSTRAINT contents_kind_check;
    UPDATE nightjar.contents SET kind = 'catalog' WHERE kind = 'directory';
    ALTER TABLE nightjar.contents ADD CONSTRAINT contents_kind_check
      CHECK (kind IN ('list', 'matches', 'people', 'positions', 'buckets', 'catalog'));
    """

  private static let servedCatalogs = """
    CREATE VIEW nightjar.served_catalogs (pipeline, catalog, key, rank, entry) AS
      SELECT contents.pipeline, contents.name, catalogs.key, catalogs.rank, catalogs.entry
      FROM nightjar.served
      JOIN nightjar.contents ON contents.pipeline = served.pipeline
        AND contents.generation = served.generation AND contents.kind = 'catalog'
      JOIN nightjar.catalogs ON catalogs.content_id = contents.content_id;
    """

  /// The statements that rename the directories of version 1 to catalogs. The view `served_directories`
  /// stays, with its privileges, for apps that use it.
  static let catalogsOfDirectories = """
    \(kinds)
    ALTER TABLE nightjar.directories RENAME TO catalogs;
    ALTER INDEX nightjar.directories_pkey RENAME TO catalogs_pkey;
    COMMENT ON TABLE nightjar.contents IS
      'The parts of a generation: its lists, catalogs, and tables of matches, people, positions and buckets.';
    \(servedCatalogs)
    CREATE OR REPLACE VIEW nightjar.served_directories (pipeline, directory, key, rank, entry) AS
      SELECT pipeline, catalog, key, rank, entry FROM nightjar.served_catalogs;
    COMMENT ON VIEW nightjar.served_directories IS 'The earlier name of served_catalogs.';
    UPDATE nightjar.store SET version = \(version);
    """
}

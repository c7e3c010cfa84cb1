// What apps with maps and directories need. Stores of programs before these tables get them when they are next opened
// for publishing.
extension PostgreSQLSchema {
  /// Why it is as it is:
  /// - PostGIS is not needed: the index is one of PostgreSQL's own points, which know rectangles. Circles are looked up by
  ///   the rectangles around them, of which there are two across the antimeridian.
  /// - Functions of SQL, not of another language: the planner puts them into the query around them.
  static let places = """
    ALTER TABLE nightjar.contents DROP CONSTRAINT contents_kind_check;
    ALTER TABLE nightjar.contents ADD CONSTRAINT contents_kind_check
      CHECK (kind IN ('list', 'matches', 'people', 'positions', 'buckets', 'directory'));

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
    COMMENT ON TABLE nightjar.positions IS 'Where somebody or something is, or rather the centre of its cell.';
    COMMENT ON COLUMN nightjar.positions.latitude IS 'degrees';
    COMMENT ON COLUMN nightjar.positions.longitude IS 'degrees';

    CREATE TABLE nightjar.buckets (
      content_id bigint NOT NULL,
      cell text COLLATE "C" NOT NULL,
      bucket json NOT NULL,
      PRIMARY KEY (content_id, cell)
    );
    COMMENT ON TABLE nightjar.buckets IS 'The cells, by geohash, in which somebody or something is.';

    CREATE TABLE nightjar.directories (
      content_id bigint NOT NULL,
      key text COLLATE "C" NOT NULL,
      rank bigint NOT NULL,
      entry json NOT NULL,
      PRIMARY KEY (content_id, key, rank)
    );
    COMMENT ON TABLE nightjar.directories IS
      'Lists that belong to a key, as a county, and to no user: one row per entry, best first.';

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

    CREATE VIEW nightjar.served_directories (pipeline, directory, key, rank, entry) AS
      SELECT contents.pipeline, contents.name, directories.key, directories.rank, directories.entry
      FROM nightjar.served
      JOIN nightjar.contents ON contents.pipeline = served.pipeline
        AND contents.generation = served.generation AND contents.kind = 'directory'
      JOIN nightjar.directories ON directories.content_id = contents.content_id;

    -- Great-circle distance by the haversine on the sphere of 6371.0088 km. Next to the antipode within 0.2 m of the
    -- true one, else within a millimetre.
    CREATE FUNCTION nightjar.distance_km(
      latitude_1 double precision, longitude_1 double precision,
      latitude_2 double precision, longitude_2 double precision
    ) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
      SELECT 2 * 6371.0088 * asin(least(1, sqrt(
        sin(radians(latitude_1 - latitude_2) / 2) ^ 2
        + cos(radians(latitude_1)) * cos(radians(latitude_2)) * sin(radians(longitude_1 - longitude_2) / 2) ^ 2)))
    $$;

    -- Whoever the pipeline serves within a radius of a place, nearest first.
    CREATE FUNCTION nightjar.positions_near(
      pipeline text, entity text, latitude double precision, longitude double precision,
      radius_km double precision
    ) RETURNS TABLE (id text, latitude double precision, longitude double precision, distance_km double precision)
    LANGUAGE sql STABLE PARALLEL SAFE AS $$
      WITH radius AS (
        -- A ten-thousandth of a metre more, for what is rounded.
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
    """
}

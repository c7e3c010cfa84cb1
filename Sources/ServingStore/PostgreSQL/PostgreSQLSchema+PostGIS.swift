// Where the database has the extension PostGIS, apps may use it too; nothing here needs it.
extension PostgreSQLSchema {
  /// The schema of PostGIS, where the extension is there, the account may use it and the store does not yet: one row, or
  /// none.
  static let unusedPostGIS = """
    SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
    WHERE extname = 'postgis' AND has_schema_privilege(pg_namespace.oid, 'USAGE')
      AND to_regclass('nightjar.served_geographies') IS NULL
    """

  /// A view of the positions as geographies, and an index for it.
  ///
  /// Distances of PostGIS on a sphere (`use_spheroid` false) differ from ours by 5 parts in 10⁹: its radius is 6371.00877 km.
  ///
  /// - Parameter schema: Where PostGIS is, as an identifier.
  /// - Returns: The statements.
  static func geographies(postGIS schema: String) -> String {
    let geography =
      "(\(schema).st_setsrid(\(schema).st_makepoint(longitude, latitude), 4326)::\(schema).geography)"
    return """
      CREATE INDEX positions_by_geography ON nightjar.positions USING gist (\(geography));
      CREATE VIEW nightjar.served_geographies (pipeline, entity, id, geography) AS
        SELECT contents.pipeline, contents.name, positions.id, \(geography)
        FROM nightjar.served
        JOIN nightjar.contents ON contents.pipeline = served.pipeline
          AND contents.generation = served.generation AND contents.kind = 'positions'
        JOIN nightjar.positions ON positions.content_id = contents.content_id;
      """
  }
}

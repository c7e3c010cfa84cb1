// Support for apps that use the PostGIS extension. Nightjar itself does not need PostGIS.
extension PostgreSQLSchema {
  /// The query for the schema of PostGIS. It returns a row only if the extension is installed, the account
  /// may use the schema, and the store lacks the view of geographies.
  static let unusedPostGIS = """
    SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
    WHERE extname = 'postgis' AND has_schema_privilege(pg_namespace.oid, 'USAGE')
      AND to_regclass('nightjar.served_geographies') IS NULL
    """

  /// Returns the statements that create a view of the positions as geographies, and its index.
  ///
  /// Distances on PostGIS's sphere (`use_spheroid` false) differ from Nightjar's distances by 5 parts in 10⁹,
  /// because the sphere of PostGIS has a radius of 6371.00877 km.
  ///
  /// - Parameter schema: The schema of PostGIS, as a quoted identifier.
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

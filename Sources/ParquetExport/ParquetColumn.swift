internal import DuckDB

/// One column of a Parquet file, and how its values travel to DuckDB.
struct ParquetColumn {
  enum Kind: String {
    case text = "VARCHAR"
    case number = "DOUBLE"
    case integer = "BIGINT"
    case flag = "BOOLEAN"
    case time = "TIMESTAMPTZ"
  }

  var name: String
  var kind: Kind

  init(_ name: String, _ kind: Kind) {
    self.name = name
    self.kind = kind
  }

  /// The type as which DuckDB reads the field: a time travels as milliseconds since 1970.
  var fieldType: String { (kind == .time ? .integer : kind).rawValue }

  /// What becomes of `field`. DuckDB numbers a name that is taken, whatever its case: `id_1`.
  func selected(_ field: String) -> String {
    (kind == .time ? "make_timestamptz(\(field) * 1000)" : field) + " AS " + SQL.identifier(name)
  }
}

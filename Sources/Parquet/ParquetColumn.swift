internal import DuckDB

/// One column of a Parquet file, and its representation in the CSV input of DuckDB.
struct ParquetColumn {
  enum ParquetType: String {
    case text = "VARCHAR"
    case number = "DOUBLE"
    case integer = "BIGINT"
    case flag = "BOOLEAN"
    case time = "TIMESTAMPTZ"
    case texts = "VARCHAR[]"
  }

  var name: String
  var kind: ParquetType

  init(_ name: String, _ kind: ParquetType) {
    self.name = name
    self.kind = kind
  }

  /// The type of the CSV field. A time is written as milliseconds since 1970 UTC, and a list as JSON.
  var fieldType: String {
    switch kind {
    case .time: ParquetType.integer.rawValue
    case .texts: ParquetType.text.rawValue
    case .text, .number, .integer, .flag: kind.rawValue
    }
  }

  /// Returns the SQL expression that converts `field` and names the column. DuckDB ignores the case of column
  /// names, and appends a number to a duplicate name, as in `id_1`.
  func selected(_ field: String) -> String {
    let value =
      switch kind {
      case .time: "make_timestamptz(\(field) * 1000)"
      case .texts: "from_json(\(field), '[\"VARCHAR\"]')"
      case .text, .number, .integer, .flag: field
      }
    return value + " AS " + SQL.identifier(name)
  }
}

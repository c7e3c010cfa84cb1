package import PipelineFile
package import Readers
package import Text

// The module describes the required form of a pipeline's exports for other tools, as a Frictionless Data
// Package, version 1. It translates a pipeline file and reads no rows, so it must not depend on `Ingest`.
// Source: specs.frictionlessdata.io: Data Package, Data Resource, Table Schema, CSV Dialect. `fieldsMatch`
// and `uniqueKeys` are from version 2; readers of version 1 ignore them.

extension Pipeline {
  /// Describes every source: entities, then check-ins, interactions and requests, each sorted by name.
  ///
  /// The description depends only on the pipeline file, and on the names of the files that its folders and
  /// patterns match. It leaves out expectations that a data package cannot express: row counts, the age of
  /// the newest row, and shares of missing values above 0.
  ///
  /// - Parameter shown: Converts a path that this process can open to the path to print.
  /// - Returns: The descriptor, a JSON object.
  /// - Throws: `ExportError` if files cannot be examined or listed, or if a file is a named pipe. A missing
  ///   file is not an error.
  package func dataPackage(shown: (String) -> String = { $0 }) throws(ExportError) -> JSONValue {
    let names = ResourceNames(self)
    let all =
      entities.map { ($0.name, $0.source, TableSchema($0, in: self).json(references: names)) }
      + checkIns.map { ($0.name, $0.source, TableSchema($0, in: self).json(references: names)) }
      + interactions.map { ($0.name, $0.source, TableSchema($0, in: self).json(references: names)) }
      + requests.map { ($0.name, $0.source, TableSchema($0, in: self).json(references: names)) }
    var resources: [JSONValue] = []
    for (name, source, schema) in all {
      let paths = try files(of: source).map(shown)
      resources.append(source.resource(named: names[name], title: name, schema, paths))
    }
    return [
      "name": .string(name.lowercased()), "profile": "data-package", "resources": .array(resources),
    ]
  }

  /// Returns the Table Schema of the source `name`, without references to other tables; `nil` if the source
  /// does not exist.
  package func tableSchema(of name: String) -> JSONValue? {
    if let entity = entity(name) { return TableSchema(entity, in: self).json }
    if let checkIns = checkIns.first(where: { $0.name == name }) {
      return TableSchema(checkIns, in: self).json
    }
    if let requests = requests(name) { return TableSchema(requests, in: self).json }
    return interaction(name).map { TableSchema($0, in: self).json }
  }

  /// Returns the paths of a source's files. If a name or a pattern matches no file, the result contains it as
  /// a path in the directory of the pipeline file.
  private func files(of source: Source) throws(ExportError) -> [String] {
    var paths: [String] = []
    for path in source.paths {
      do throws(ExportError) {
        paths += try ExportFile.files(named: [path], in: directory).map(\.path)
      } catch {
        guard error.code == .missingFile else { throw error }
        paths.append(resolve(path))
      }
    }
    return paths
  }
}

extension Pipeline.Source {
  fileprivate func resource(named name: String, title: String, _ schema: JSONValue, _ paths: [String])
    -> JSONValue
  {
    var members: [String: JSONValue] = [
      "name": .string(name), "title": .string(title), "schema": schema,
      "encoding": .string(options.encoding == .latin1 ? "windows-1252" : options.encoding.rawValue),
      "description": .string(
        options.columns.isEmpty
          ? format.description
          : "Values without a header line. The columns are \(options.columns.joined(separator: ", "))."),
    ]
    switch paths.count {
    // A resource must have a path or data. A query has neither, so it gets empty data.
    case 0: members["data"] = .array([])
    case 1: members["path"] = .string(paths[0])
    default: members["path"] = .array(paths.map(JSONValue.string))
    }
    if let ending = format.fileEnding { members["format"] = .string(ending) }
    if let mediaType = format.mediaType { members["mediatype"] = .string(mediaType) }
    if let delimiter = options.delimiter ?? format.delimiter {
      members["profile"] = "tabular-data-resource"
      var dialect: [String: JSONValue] = [
        "delimiter": .string(String(UnicodeScalar(delimiter))), "doubleQuote": .boolean(true),
        "header": .boolean(options.columns.isEmpty), "skipInitialSpace": .boolean(false),
        "caseSensitiveHeader": .boolean(true),
      ]
      if options.quote != ExportOptions.noQuote {
        dialect["quoteChar"] = .string(String(UnicodeScalar(options.quote)))
      }
      members["dialect"] = .object(dialect)
    }
    return .object(members)
  }
}

extension ExportFormat {
  fileprivate var fileEnding: String? {
    switch self {
    case .csv, .tsv, .parquet: rawValue
    case .jsonl: "ndjson"
    case .json, .firestore, .parse, .realtime: "json"
    case .duckdb: nil
    }
  }

  fileprivate var mediaType: String? {
    switch self {
    case .csv: "text/csv"
    case .tsv: "text/tab-separated-values"
    case .jsonl: "application/x-ndjson"
    case .json, .firestore, .parse, .realtime: "application/json"
    case .parquet: "application/vnd.apache.parquet"
    case .duckdb: nil
    }
  }

  fileprivate var description: String {
    switch self {
    case .csv: "Comma-separated values with a header line."
    case .tsv: "Tab-separated values with a header line."
    case .jsonl: "JSON Lines: one object per line. A field's name is a path of keys with dots between them."
    case .json: "An array of JSON objects. A field's name is a path of keys with dots between them."
    case .firestore: "Firestore documents. A field's name is a path in a document's fields."
    case .parse: "Parse objects. A field's name is a path of keys with dots between them."
    case .realtime: "A tree of Firebase's Realtime Database. A field's name is a path within a record."
    case .parquet: "Apache Parquet."
    case .duckdb: "The result of a DuckDB query."
    }
  }
}

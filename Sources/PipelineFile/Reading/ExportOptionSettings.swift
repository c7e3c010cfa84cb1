internal import Readers
internal import Yams

extension ExportOptions {
  /// Reads the options among the `keys` of a source. `setting` is the whole source.
  init(_ keys: [String: Setting], _ format: ExportFormat, _ setting: Setting) throws(PipelineFileError) {
    self.init()
    for (key, formats) in Self.formats {
      if let value = keys[key], !formats.contains(format) {
        let valid = formats.map(\.rawValue).joined(separator: " and ")
        throw value.mistake(
          "'\(value.path)' is only for \(valid), but the format of this source is \(format.rawValue)",
          advice: "Remove this key.")
      }
    }
    delimiter = try keys["delimiter"]?.character()
    if let quote = keys["quote"] {
      self.quote = quote.node.scalar?.string == "none" ? Self.noQuote : try quote.character()
    }
    if let columns = keys["columns"] { self.columns = try columns.columnNames() }
    if let encoding = keys["encoding"] { self.encoding = try encoding.choice(TextEncoding.self) }
    if let mark = keys["quote"] ?? keys["delimiter"], (delimiter ?? format.delimiter) == quote {
      throw mark.mistake(
        "'delimiter' and 'quote' are the same character, but must differ", advice: "Change one of the two.")
    }
    for element in try keys["missing"]?.elements() ?? [] { missing.append(try element.writtenText()) }
    if let bytes = keys["max_expanded"] { expansion.bytes = try bytes.byteCount() }
    // A higher limit would not protect the machine. With the ratio 1 000 000, a megabyte already expands to a
    // terabyte.
    if let ratio = keys["max_ratio"] { expansion.ratio = try ratio.integer(1...1_000_000) }
    table = try keys["table"]?.text()
    query = try keys["query"]?.text()
    guard format != .duckdb || query != nil else {
      throw setting.mistake(
        "\(setting.label) needs 'query', because its format is duckdb", advice: "Add 'query: SELECT ...'.")
    }
  }

  /// The options that are valid only for some formats.
  private static let formats: [(key: String, formats: [ExportFormat])] = [
    ("delimiter", [.csv, .tsv]), ("quote", [.csv, .tsv]), ("columns", [.csv, .tsv]),
    ("encoding", ExportFormat.allCases.filter { $0 != .parquet && $0 != .duckdb }), ("table", [.realtime]),
    ("query", [.duckdb]),
  ]
}

extension Setting {
  /// Reads one ASCII character that can separate or quote fields.
  fileprivate func character() throws(PipelineFileError) -> UInt8 {
    guard let text = node.scalar?.string.utf8, text.count == 1, let byte = text.first,
      ![0, UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains(byte)
    else {
      throw mistake(
        "\(label) must be one ASCII character other than a line break",
        advice: "Write it in double quotes: \";\", or \"\\t\" for a tab.")
    }
    return byte
  }

  /// Reads the names of the columns of a file without a header. A column that is not read can have any name.
  fileprivate func columnNames() throws(PipelineFileError) -> [String] {
    var names: [String] = []
    for element in try elements() {
      let name = try element.text()
      guard !names.contains(name) else {
        throw element.mistake(
          "\(label) names the column '\(name)' twice", advice: "Give each column a name of its own.")
      }
      names.append(name)
    }
    guard !names.isEmpty else {
      throw mistake("\(label) is empty", advice: "List the names of all columns, in the order of the file.")
    }
    return names
  }

  /// Returns the scalar exactly as written: a plain `null` is the text "null", and -999 is the text "-999".
  fileprivate func writtenText() throws(PipelineFileError) -> String {
    guard let scalar = node.scalar else { throw mistake("\(label) must be text, not \(kind)") }
    return scalar.string
  }
}

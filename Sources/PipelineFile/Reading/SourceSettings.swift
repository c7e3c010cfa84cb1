internal import Readers

// Reads `source: { ... }`: the files of an export, their format and their options.

extension Pipeline.Source {
  init(_ setting: Setting) throws(PipelineFileError) {
    let keys = try setting.mapping(keys: [
      "path", "format", "delimiter", "quote", "columns", "encoding", "missing", "max_expanded", "max_ratio",
      "table", "query",
      "where", "incomplete",
    ])
    let named = try keys["format"]?.choice(ExportFormat.self)
    if let path = keys["path"], !path.isNull {
      paths = try path.paths()
    } else if named == .duckdb {
      paths = []
    } else {
      throw setting.mistake(
        "\(setting.label) needs 'path', unless its format is duckdb", advice: "Add 'path: FILE'.")
    }
    if let named { format = named } else { format = try Self.format(of: paths, keys["path"] ?? setting) }
    guard format != .parquet || paths != ["-"] else {
      throw (keys["path"] ?? setting).mistake(
        "Parquet files cannot be read from standard input, because the index of a Parquet file is at its end",
        advice: "Write the data to a file.")
    }
    options = try ExportOptions(keys, format, setting)
    conditions = try keys["where"]?.rowConditions() ?? []
    allowsIncomplete = try keys["incomplete"]?.choice(Incomplete.self) == .allowed
  }

  private enum Incomplete: String, CaseIterable { case refused, allowed }

  /// The keys next to `source` that set the source's own limits.
  static let limitKeys = ["reject_limit", "dangling_limit", "dangling_rise", "later_limit", "plausible"]

  /// Reads `source` and the limits next to it. `keys` are the keys of `setting`.
  init(_ setting: Setting, with keys: [String: Setting]) throws(PipelineFileError) {
    try self.init(setting.required("source", in: keys))
    rejectLimit = try keys["reject_limit"]?.share()
    danglingLimit = try keys["dangling_limit"]?.share()
    danglingRise = try keys["dangling_rise"]?.share()
    laterLimit = try keys["later_limit"]?.share()
    plausible = try keys["plausible"]?.plausibleTimes()
  }

  /// Returns the format that the extensions of all `paths` imply.
  private static func format(of paths: [String], _ setting: Setting) throws(PipelineFileError)
    -> ExportFormat
  {
    var found: (format: ExportFormat, path: String)?
    for path in paths {
      guard let format = ExportFormat(endingOf: path) else {
        throw setting.mistake(
          "the source has no 'format', and "
            + (path == "-"
              ? "standard input has no name that implies one" : "the name '\(path)' does not imply one"),
          advice:
            "Add 'format'. Valid formats: \(ExportFormat.allCases.map(\.rawValue).joined(separator: ", "))."
        )
      }
      if let found, found.format != format {
        throw setting.mistake(
          "the source has no 'format', and its files differ: '\(found.path)' is \(found.format.rawValue), "
            + "'\(path)' is \(format.rawValue)",
          advice: "Set 'format', or make two sources. All files of a source must have the same format.")
      }
      found = (format, path)
    }
    guard let found else {
      throw setting.mistake("'\(setting.path)' names no file", advice: "Name at least one file.")
    }
    return found.format
  }
}

extension Setting {
  /// Reads one text or a list of texts: files, folders, patterns, or `-` alone.
  fileprivate func paths() throws(PipelineFileError) -> [String] {
    guard isSequence else { return [try pathText()] }
    var paths: [String] = []
    for element in try elements() {
      paths.append(try element.pathText())
      guard paths.count == 1 || !paths.contains("-") else {
        throw element.mistake(
          "standard input ('-') must be the only path of its source",
          advice: "Give the other files a source of their own.")
      }
    }
    guard !paths.isEmpty else {
      throw mistake("'\(path)' names no file", advice: "Name at least one file.")
    }
    return paths
  }

  private func pathText() throws(PipelineFileError) -> String {
    let text = try text()
    guard !text.utf8.contains(0) else {
      throw mistake(
        "\(label) contains a zero byte, which paths cannot contain", advice: "Remove the zero byte.")
    }
    return text
  }
}

extension Pipeline {
  /// Rejects `source` if it reads standard input and an earlier source reads it too, because the second read
  /// would be empty.
  func checkStandardInput(_ source: Source, _ setting: Setting) throws(PipelineFileError) {
    guard source.paths == ["-"], let other = sources.first(where: { $0.source.paths == ["-"] }) else {
      return
    }
    let path = setting.value(of: "source")?.value(of: "path") ?? setting
    throw path.mistake(
      "two sources read standard input ('-'): this one and '\(other.name)'",
      advice: "Write the data of one of them to a file.")
  }
}

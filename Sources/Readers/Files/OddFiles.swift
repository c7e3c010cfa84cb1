/// Finds files in a folder, or among the matches of a pattern, that probably do not belong to an export:
/// backups, unfinished downloads, copies, and files of another kind.
package enum OddFiles {
  /// Endings of backups and of files that another program is still writing.
  private static let leftovers = [
    "bak", "backup", "tmp", "temp", "part", "partial", "filepart", "crdownload", "download", "old", "orig",
    "save", "swp", "swo",
  ]

  /// Returns the files among `files` that probably do not belong to an export of `format`. Files that the
  /// pipeline file names explicitly are never returned.
  ///
  /// - Parameters:
  ///   - files: The files of a source.
  ///   - names: The paths as in the pipeline file.
  ///   - format: The format of the source.
  /// - Returns: The odd files, in the order of `files`.
  package static func among(_ files: [ExportFile], named names: [String], _ format: ExportFormat)
    -> [ExportFile]
  {
    let found = files.filter { !names.contains($0.shown) }
    let paths = Set(files.map(\.path))
    let hasUsualEnding = found.contains { isUsual($0.path, format) }
    return found.filter { file in
      isLeftover(file.path) || (hasUsualEnding && !isUsual(file.path, format))
        || originals(ofCopy: file.path).contains(where: paths.contains)
    }
  }

  private static func isLeftover(_ path: String) -> Bool {
    let name = path.lowercased()
    return name.hasSuffix("~") || leftovers.contains { name.hasSuffix("." + $0) }
  }

  /// Returns whether the ending of `path` is usual for the format.
  private static func isUsual(_ path: String, _ format: ExportFormat) -> Bool {
    guard let ending = ExportFormat(endingOf: path) else { return false }
    return switch format {
    case .firestore, .parse, .realtime: ending == .json || ending == .jsonl
    case .csv, .tsv, .jsonl, .json, .parquet, .duckdb: ending == format
    }
  }

  /// Returns the paths that the original may have if `path` is a copy. An original such as `x.csv` lacks the
  /// mark of a copy (`x (1).csv`, `x - Copy.csv`, `Copy of x.csv`) or of a backup (`x.bak.csv`, `old_x.csv`),
  /// or the compression suffix (`x.csv.gz`). The original may also be beside a backup folder
  /// (`backup/x.csv`).
  private static func originals(ofCopy path: String) -> [String] {
    let cut = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let (folder, name) = (String(path[..<cut]), String(path[cut...]))
    var originals = copyMarks.compactMap { mark -> String? in
      let original = name.replacing(mark, with: "", maxReplacements: 1)
      return original == name ? nil : folder + original
    }
    for ending in [".gz", ".zst"] where name.hasSuffix(ending) {
      originals.append(folder + name.dropLast(ending.count))
    }
    if let match = folder.firstMatch(of: leftoverFolder) {
      originals.append(folder[..<match.range.lowerBound] + "/" + name)
    }
    return originals
  }

  // `Regex` is not `Sendable`, so each use creates new values.
  private static var copyMarks: [Regex<Substring>] {
    [
      /(?i) \(\d+\)(?=\.|$)/, /(?i)[ _-]+(?:copy|copie|copia|kopie|kopia)(?: ?\d+)?(?=\.|$)/, /^Copy\ of\ /,
      /(?i)[._ -]+(?:bak|backup|old|orig|original|tmp|temp|partial|save|saved|prev|previous)\d*(?=\.|$)/,
      /(?i)^(?:bak|backup|old|orig|tmp|temp|prev|previous)[._ -]+/,
    ]
  }

  private static var leftoverFolder: Regex<Substring> {
    /(?i)\/(?:bak|backup|backups|old|orig|tmp|temp|prev|previous)\/$/
  }
}

/// Finds files in a folder, or among the matches of a pattern, that are no part of an export: backups, unfinished
/// downloads, copies, and files of another kind.
package enum OddFiles {
  /// Endings of backups and of files that another program is still writing.
  private static let leftovers = [
    "bak", "backup", "tmp", "temp", "part", "partial", "filepart", "crdownload", "download", "old", "orig",
    "save",
    "swp", "swo",
  ]

  /// The files of `files` that are no part of an export of `format`. Files that the pipeline file names itself
  /// never count.
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
        || original(ofCopy: file.path).map(paths.contains) ?? false
    }
  }

  private static func isLeftover(_ path: String) -> Bool {
    let name = path.lowercased()
    return name.hasSuffix("~") || leftovers.contains { name.hasSuffix("." + $0) }
  }

  /// Whether the ending of `path` is usual for the format.
  private static func isUsual(_ path: String, _ format: ExportFormat) -> Bool {
    guard let ending = ExportFormat(endingOf: path) else { return false }
    return switch format {
    case .firestore, .parse, .realtime: ending == .json || ending == .jsonl
    case .csv, .tsv, .jsonl, .json, .parquet, .duckdb: ending == format
    }
  }

  /// The path of the original, if `path` is named as file managers name copies: `x (1).csv`, `x copy.csv`,
  /// `x - Copy.csv` or `Copy of x.csv`. `nil` for another name.
  private static func original(ofCopy path: String) -> String? {
    let cut = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let (folder, name) = (path[..<cut], path[cut...])
    if name.hasPrefix("Copy of ") { return folder + String(name.dropFirst("Copy of ".count)) }
    guard let match = name.firstMatch(of: /(?i)(?: \(\d+\)|[ _-]+copy(?: ?\d+)?)(?=\.[^\/]*$|$)/) else {
      return nil
    }
    return folder + String(name.replacingCharacters(in: match.range))
  }
}

extension Substring {
  fileprivate func replacingCharacters(in range: Range<Index>) -> String {
    String(self[..<range.lowerBound]) + String(self[range.upperBound...])
  }
}

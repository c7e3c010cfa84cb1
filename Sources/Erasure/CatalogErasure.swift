internal import Files
internal import Text
internal import Tombstones

/// Removes candidates from a catalog. The other entries stay byte for byte the same, including their ranks.
/// They therefore match the entries in stores, where an erasure only removes entries.
struct CatalogErasure {
  /// The candidates to remove: `texts` as JSON strings, `fields` as CSV fields.
  private let texts: Set<[UInt8]>
  private let fields: Set<[UInt8]>

  init(_ candidates: some Sequence<[UInt8]>) {
    texts = Set(candidates.map(JSONText.quoted))
    fields = Set(candidates.map(CSVText.field))
  }

  // Quotes within a JSON string are escaped, so a catalog key or a candidate's id cannot contain these bytes.
  private static let rank = Array("},\"rank\":".utf8)
  private static let candidate = Array(",\"candidate\":".utf8)

  /// Copies the JSON Lines file `path` as the file `name`, without the lines of the candidates to remove.
  /// Returns the numbers of removed and remaining lines.
  func writeEntries(
    of path: String, as name: String, to directory: inout StageDirectory
  ) throws(FileError) -> (removed: Int, kept: Int) {
    var number = 0
    return try write(path, as: name, to: &directory) { (line) throws(FileError) in
      number += 1
      guard let rank = line.firstIndex(of: Self.rank, from: 0),
        let candidate = line.firstIndex(of: Self.candidate, from: rank)
      else { throw FileError(damaged: path, "line \(number) is not an entry of a catalog") }
      let start = candidate + Self.candidate.count
      return texts.contains { line[start...].starts(with: $0) }
    }
  }

  /// Copies the CSV file `path` as the file `name`, without the rows of the candidates to remove.
  func writeRows(of path: String, as name: String, to directory: inout StageDirectory) throws(FileError) {
    _ = try write(path, as: name, to: &directory) { (line) throws(FileError) in
      CSVRecord(line: line.span).map { fields.contains($0.written(2, in: line)) } ?? false
    }
  }

  private func write(
    _ path: String, as name: String, to directory: inout StageDirectory,
    without isGone: ([UInt8]) throws(FileError) -> Bool
  ) throws(FileError) -> (removed: Int, kept: Int) {
    var (removed, kept) = (0, 0)
    let file = try MappedFile(checking: path)
    try directory.write(name) { (writer) throws(FileError) in
      try file.forEachLine(
        { (line) throws(FileError) in
          let bytes = Array(copying: line)
          if try isGone(bytes) {
            removed += 1
          } else {
            kept += 1
            try writer.append(bytes + [0x0A])
          }
        }, path: path)
    }
    return (removed, kept)
  }
}

extension [UInt8] {
  /// Returns the first index at or after `start` at which `part` begins; `nil` if there is none. `part` must
  /// not be empty.
  fileprivate func firstIndex(of part: [UInt8], from start: Int) -> Int? {
    var index = start
    while index + part.count <= count {
      if self[index] == part[0], self[index..<index + part.count].elementsEqual(part) { return index }
      index += 1
    }
    return nil
  }
}

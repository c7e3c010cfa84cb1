internal import Files
internal import PipelineFile
internal import RunSchemas
internal import ServingStore
internal import Text
internal import Tombstones

/// Removes people from the lists, matches and catalogs of a run: as users, as candidates, and on both sides
/// of matches.
///
/// The files are edited as text, so their other lines stay byte for byte the same. `funnel.json` and the
/// manifest's counts get the new numbers of users and lists. The numbers of pairs stay, because they describe
/// the run and not a person.
struct RankingsErasure {
  let pipeline: Pipeline
  let ids: ErasedIDs
  private(set) var counts = RunErasureCounts()
  private var lists: [String: JSONValue] = [:]
  private var matches: [String: Int] = [:]
  private var entries: [String: Int] = [:]

  init(_ pipeline: Pipeline, _ ids: ErasedIDs) {
    (self.pipeline, self.ids) = (pipeline, ids)
  }

  /// Writes the stage directory `rankings` of `run` from `source`, the rankings of the old run.
  mutating func write(from source: String, into run: String) throws {
    var manifest = try Manifest(of: source)
    var directory = try StageDirectory("rankings", in: run)
    lists = manifest.counts["lists"]?.members ?? [:]
    // The marker is also an output of the stage, but `complete` writes it last.
    let names = manifest.outputs.map(\.path).filter { $0 != Self.marker }
    for name in names where name != Self.funnel {
      let path = source + "/" + name
      if name.hasSuffix(".jsonl"),
        let ranking = pipeline.rankings.first(where: { name.hasPrefix($0.name + "/") })
      {
        try editLists(path, as: name, ranking, to: &directory)
      } else if let ranking = pipeline.rankings.first(where: { name == $0.name + ".csv" }) {
        try editRows(path, as: name, ranking, to: &directory)
      } else if name.hasSuffix(".jsonl"),
        let list = pipeline.catalogs.first(where: { name.hasPrefix($0.name + "/") })
      {
        let edited = try CatalogErasure(ids.of(list.candidates)).writeEntries(
          of: path, as: name, to: &directory)
        counts.places += edited.removed
        entries[list.name] = edited.kept
      } else if let list = pipeline.catalogs.first(where: { name == $0.name + ".csv" }) {
        try CatalogErasure(ids.of(list.candidates)).writeRows(of: path, as: name, to: &directory)
      } else if name.hasSuffix(".csv") {
        try removeRows(path, as: name, to: &directory)
      } else {
        throw EvaluationErasure.unsupported(path)
      }
    }
    if names.contains(Self.funnel) {
      let funnel = JSONValue.object(lists).pretty
      try directory.write(Self.funnel) { (writer) throws(FileError) in try writer.append(funnel) }
    }
    var members = manifest.counts.members
    members["lists"] = .object(lists)
    if let known = members["matches"] {
      members["matches"] = .object(
        known.members.merging(matches.mapValues { .integer($0) }) { _, new in new })
    }
    // The key under which the manifest counts catalog entries depends on the version that made the run.
    for key in CatalogCounts.keys {
      guard let known = members[key] else { continue }
      members[key] = .object(
        known.members.merging(entries.mapValues { .integer($0) }) { _, new in new })
    }
    manifest.counts = JSONValue.object(members).adding(
      erased: ["lists": counts.lists, "places": counts.places, "matches": counts.matches])
    manifest.parents = try manifest.parents(in: run)
    _ = try directory.complete(
      manifest, marker: Directories.exists(source + "/" + Self.marker) ? Self.marker : nil)
  }

  private static let funnel = "funnel.json"
  private static let marker = "_SUCCESS"

  /// Edits a JSON Lines file of a ranking. Each line is the document of one user.
  private mutating func editLists(
    _ path: String, as name: String, _ ranking: Pipeline.Ranking, to directory: inout StageDirectory
  ) throws(FileError) {
    let users = Set(
      ids.of(ranking.users).map { Array("{\"user\":".utf8) + JSONText.quoted($0) + [UInt8(ascii: ",")] })
    let candidates = ids.of(ranking.candidates)
    let texts = candidates.map(JSONText.quoted)
    let file = try MappedFile(checking: path)
    var userCounts = UserCounts(lists[ranking.name]?["users"])
    var (number, own, places) = (0, 0, 0)
    try directory.write(name) { (writer) throws(FileError) in
      try file.forEachLine(
        { (line) throws(FileError) in
          number += 1
          let isOwn = users.contains { start in
            line.count > start.count && ByteOrder.equal(line.extracting(0..<start.count), start.span)
          }
          let mayHold = isOwn || texts.contains { ByteOrder.contains($0, in: line) }
          var text = mayHold ? Array(copying: line) : []
          if mayHold {
            let document: ListDocument
            do throws(ListDocument.Flaw) { document = try ListDocument(text) } catch {
              throw FileError(damaged: path, "line \(number) does not have the expected JSON form")
            }
            if isOwn {
              own += 1
              userCounts.remove(document)
              return
            }
            if let edited = document.removing(where: candidates.contains) {
              places += edited.removed
              userCounts.shorten(
                document, isEmpty: edited.removed == document.candidates.count, shortened: edited.shortened)
              text = edited.text
            }
            try writer.append(text)
          } else {
            unsafe try writer.append(line.bytes)
          }
          try writer.append([0x0A])
        }, path: path)
    }
    counts.lists += own
    counts.places += places
    var members = lists[ranking.name]?.members ?? [:]
    members["users"] = userCounts.json
    lists[ranking.name] = .object(members)
  }

  /// Edits the CSV file of a ranking. The rows of a user are consecutive.
  private func editRows(
    _ path: String, as name: String, _ ranking: Pipeline.Ranking, to directory: inout StageDirectory
  ) throws(FileError) {
    let users = Set(ids.of(ranking.users).map(CSVText.field))
    let candidates = Set(ids.of(ranking.candidates).map(CSVText.field))
    let texts = users.union(candidates)
    let file = try MappedFile(checking: path)
    // In a ranking with `per`, the column of the word follows the column of the user. A list ends when the
    // user or the word changes.
    let rankField = ranking.per == nil ? 1 : 2
    var user: [UInt8] = []
    var removed = 0
    try directory.write(name) { (writer) throws(FileError) in
      try file.forEachLine(
        { (line) throws(FileError) in
          // Nearly all rows belong to unchanged lists, so they are copied without parsing.
          let isOfUser =
            removed > 0 && line.count > user.count
            && ByteOrder.equal(line.extracting(0..<user.count), user.span)
          guard isOfUser || texts.contains(where: { ByteOrder.contains($0, in: line) }) else {
            unsafe try writer.append(line.bytes)
            try writer.append([0x0A])
            return
          }
          let bytes = Array(copying: line)
          guard let row = CSVRecord(line: line), row.count > rankField + 1 else {
            try writer.append(bytes + [0x0A])
            return
          }
          let list = bytes[..<row.place(rankField - 1).upperBound]
          if !list.elementsEqual(user) { (user, removed) = (Array(list), 0) }
          if users.contains(row.written(0, in: bytes)) { return }
          if candidates.contains(row.written(rankField + 1, in: bytes)) {
            removed += 1
            return
          }
          guard removed > 0, let rank = Int(String(decoding: row[rankField], as: UTF8.self)) else {
            try writer.append(bytes + [0x0A])
            return
          }
          try writer.append(
            bytes[..<row.place(rankField).lowerBound] + Array(String(rank - removed).utf8)
              + bytes[row.place(rankField).upperBound...] + [0x0A])
        }, path: path)
    }
  }

  /// Edits a CSV file of matches. Each row in which a field is one of the ids is removed.
  private mutating func removeRows(
    _ path: String, as name: String, to directory: inout StageDirectory
  ) throws(FileError) {
    let list = pipeline.matches.first { name == $0.name + ".csv" }
    let entities = list.map(pipeline.entities)
    let fields = Set((entities.map { $0.flatMap { ids.of($0) } } ?? Array(ids.all)).map(CSVText.field))
    var (rows, removed) = (-1, 0)
    var kept: [UInt8] = []
    try MappedFile(checking: path).forEachLine(
      { (line) throws(FileError) in
        if fields.contains(where: { ByteOrder.contains($0, in: line) }) {
          let bytes = Array(copying: line)
          let row = CSVRecord(line: line)
          if let row, (0..<row.count).contains(where: { fields.contains(row.written($0, in: bytes)) }) {
            removed += 1
            return
          }
        }
        rows += 1
        kept += Array(copying: line) + [0x0A]
      }, path: path)
    try directory.write(name, rows: rows) { (writer) throws(FileError) in try writer.append(kept) }
    counts.matches += removed
    if let list { matches[list.name] = rows }
  }
}

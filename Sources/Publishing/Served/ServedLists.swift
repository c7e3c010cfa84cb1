package import PipelineFile
package import ServingStore
internal import System
package import Text

/// A user's lists as an app reads them, all from one generation.
package struct ServedLists {
  private let user: String
  private let list: String?
  private let word: String?

  /// - Parameters:
  ///   - user: The user's id.
  ///   - list: The only list to show; `nil` for all.
  ///   - word: For rankings with `per`, the only word to show; `nil` for all.
  package init(user: String, list: String?, word: String?) {
    (self.user, self.list, self.word) = (user, list, word)
  }

  /// Returns the lines to print.
  ///
  /// - Parameters:
  ///   - generation: The served generation.
  ///   - pipeline: The generation's pipeline.
  ///   - top: The maximum number of recommendations per list; `nil` for all.
  ///   - format: The output format. In JSON, each line is a document, with only the chosen lists and entries.
  /// - Returns: Text output begins with a line with the id and its published attributes. The lists and the
  ///   numbers of matches follow. JSON output contains only the documents. CSV output consists of a header
  ///   and one row per entry.
  /// - Throws: `StageFailure` if there is no such list, or if the user has no list; `ServingStoreError`.
  package func lines(
    _ generation: any ServedGeneration, of pipeline: Pipeline, top: Int?, format: ResultFormat
  ) throws -> [String] {
    let names = generation.listNames
    if let list, !names.contains(list) {
      throw StageFailure(
        .usage,
        "generation \(generation.summary.number) has no list '\(list)'. Lists: "
          + (names.isEmpty ? "none" : names.joined(separator: ", ")) + ".")
    }
    var lines: [String] = []
    var csv = CSVText()
    for name in list.map({ [$0] }) ?? names {
      guard let document = try generation.document(list: name, user: StoredID(user)) else { continue }
      let shown = pipeline.rankings.first { $0.name == name }?.shown.map(\.name) ?? []
      let place = "list '\(name)'"
      switch format {
      case .json:
        let line = try DamagedRow.decoding(place) {
          try ServedDocument.json(document, top: top, word: word)
        }
        if let line { lines.append(line) }
      case .csv:
        try DamagedRow.decoding(place) { try ServedDocument(document) }
          .append(to: &csv, ranking: name, top: top, word: word, showing: shown)
      case .text(let width):
        guard
          let served = try DamagedRow.decoding(place, { try ServedDocument(document) })
            .lines(top: top, word: word, showing: shown, width: width)
        else { continue }
        if names.count > 1 { lines.append("\(name):") }
        lines += served
      }
    }
    if !csv.bytes.isEmpty {
      var header = CSVText()
      header.append(header: ["list", "word"] + ServedList.columns)
      lines = header.rows + csv.rows
    }
    guard !lines.isEmpty else {
      throw StageFailure(
        .missingInput,
        "generation \(generation.summary.number) of '\(pipeline.name)' has no list for this id"
          + (word == nil ? "" : " and this word") + "." + hint(pipeline))
    }
    guard case .text = format else { return lines }
    return try [title(generation, pipeline)] + lines + matches(generation, pipeline)
  }

  /// Returns possible reasons why the user has no list: the `for` keys of the pipeline file, and a misspelled
  /// id.
  private func hint(_ pipeline: Pipeline) -> String {
    let rankings = pipeline.rankings.filter { list == nil || $0.name == list }
    let some = rankings.filter { !$0.audience.isEmpty }.map { "'\($0.name)'" }
    let others =
      some.isEmpty
      ? "" : " Only some users have lists of \(some.joined(separator: ", ")): see 'for' in the pipeline file."
    return others + " Check the id: ids must match byte for byte."
  }

  /// Returns the id and the published attributes, such as `u0042, Technology, entrepreneur`.
  private func title(_ generation: any ServedGeneration, _ pipeline: Pipeline) throws -> String {
    var parts = [user]
    let attributes = pipeline.publication?.attributes.sorted { $0.key < $1.key } ?? []
    for (entity, names) in attributes {
      guard let json = try generation.person(entity: entity, id: StoredID(user)) else { continue }
      parts += try ServedAttributes.values(json, names, of: entity)
    }
    return ShownText.encoded(parts.joined(separator: ", "))
  }

  private func matches(_ generation: any ServedGeneration, _ pipeline: Pipeline) throws -> [String] {
    try pipeline.matches.compactMap { list in
      let count = try generation.matches(name: list.name, user: StoredID(user)).count
      return count == 0 ? nil : "  \(list.name): \(count.grouped)"
    }
  }
}

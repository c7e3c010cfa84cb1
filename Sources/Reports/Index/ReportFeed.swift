internal import Files
internal import RunSchemas
internal import Text

/// The Atom feed (RFC 4287) of a directory of reports: one entry per kept complete run and per later failure,
/// newest first.
///
/// Writing the feed of the same runs again gives the same bytes. An entry contains no ids of users or
/// candidates, and no positions.
struct ReportFeed {
  /// The name of the feed's file.
  static let name = "feed.xml"

  private let entries: [Entry]
  private let tool: String

  init(_ pipelines: [(PipelineRuns, [RunVerdict])], tool: String) {
    self.tool = tool
    entries = pipelines.flatMap { pipeline, verdicts in
      zip(pipeline.runs, verdicts).map { Entry(pipeline, $0, $1) }
        + pipeline.unfinished.compactMap { Entry(pipeline, $0) }
    }
    .sorted { ($1.updated, $0.pipeline.name, $1.number) < ($0.updated, $1.pipeline.name, $0.number) }
  }

  var isEmpty: Bool { entries.isEmpty }

  /// Writes the feed. Without entries, removes an earlier feed, because the update time of a feed comes from
  /// its entries.
  func write(to directory: String, _ access: FileAccess?) throws(FileError) {
    let path = directory + "/" + Self.name
    guard !entries.isEmpty else { return try Directories.remove(path) }
    try Directories.create(directory, access)
    // The id of a feed must never change, even after its first run is removed.
    let earlier = Directories.exists(path) ? Self.id(in: try MappedFile(path)) : nil
    let id = earlier ?? NamedUUID(of: "folder", (entries.map(\.id).min() ?? "")).urn
    try Directories.replace(path, with: Array(xml(id: id, in: directory).utf8), access)
  }

  private func xml(id: String, in directory: String) -> String {
    let updated = entries.map(\.updated).max() ?? Instant(milliseconds: 0)
    return """
      <?xml version="1.0" encoding="utf-8"?>
      <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
        <id>\(id)</id>
        <title>Nightjar morning reports</title>
        <updated>\(updated)</updated>
        <author><name>\(tool.asXML)</name></author>
        <generator>\(tool.asXML)</generator>
        <link rel="self" type="application/atom+xml" href="\(Self.name)"/>
        <link rel="alternate" type="text/html" href="index.html"/>
      \(entries.map { $0.xml(in: directory) }.joined())</feed>

      """
  }

  /// Returns the id of an earlier feed; `nil` if the feed has no id, or if its id is not the URN of a UUID.
  private static func id(in file: borrowing MappedFile) -> String? {
    let text = unsafe String(decoding: file.bytes.withUnsafeBytes { unsafe Array($0) }, as: UTF8.self)
    guard let start = text.firstRange(of: "<id>")?.upperBound,
      let end = text[start...].firstRange(of: "</id>")?.lowerBound
    else { return nil }
    return NamedUUID(urn: String(text[start..<end]))?.urn
  }
}

extension ReportFeed {
  /// A complete run or a failure in the feed.
  private struct Entry {
    let pipeline: PipelineRuns
    /// The number of the run. A failure before the run had a number counts as newer than all runs.
    let number: Int
    let id: String
    let updated: Instant
    let title: Words
    let summary: Words

    init(_ pipeline: PipelineRuns, _ run: ReportedRun, _ verdict: RunVerdict) {
      self.pipeline = pipeline
      number = run.record?.number ?? 0
      id = NamedUUID(of: "run", pipeline.name, String(number), run.rankings.digest).urn
      // A run as of a given time can be repeated later. Its entry has the as-of time instead of the start
      // time, so that the repeated run gives the same entry.
      let isGiven = run.snapshot.counts["as_of_from"]?.stringValue == "given"
      updated = isGiven ? run.snapshot.asOf : run.record?.started ?? run.snapshot.asOf
      title = "\(pipeline.name), \(run.title): \(verdict.answer)"
      summary = ([verdict.sentence] + verdict.changes.sentences).map(\.withPeriod).joined(separator: " ")
    }

    /// Creates the entry of a failure; `nil` for a run that may still be running.
    init?(_ pipeline: PipelineRuns, _ failed: UnfinishedRun) {
      guard let at = failed.at else { return nil }
      self.pipeline = pipeline
      number = failed.number ?? .max
      id = NamedUUID(of: "failure", pipeline.name, failed.number.map { String($0) } ?? "", at.description).urn
      updated = at
      title = "\(pipeline.name), \(failed.words)"
      let last =
        pipeline.runs.last.map { "The last complete run is \($0.title)." as Words }
        ?? "This pipeline has no complete run."
      summary = "\(failed.words.capitalized). \(last)"
    }

    func xml(in directory: String) -> String {
      let isNewest = number >= pipeline.runs.last?.record?.number ?? 0
      // Only the newest run has its own page.
      let address =
        isNewest ? pipeline.address(in: directory) : "#" + pipeline.anchor
      let link = address.hasPrefix("#") ? "index.html" + address : address
      return """
          <entry>
            <id>\(id)</id>
            <title>\(title.plain.asXML)</title>
            <updated>\(updated)</updated>
            <link rel="alternate" type="text/html" href="\(link.asXML)"/>
            <summary>\(summary.plain.asXML)</summary>
          </entry>

        """
    }
  }
}

extension Words {
  /// The text as a sentence, with a capital first letter and a period.
  fileprivate var withPeriod: Words { plain.hasSuffix(".") ? capitalized : capitalized + "." }
}

extension NamedUUID {
  /// The UUID as a URN (RFC 9562), for the id of a feed or an entry.
  var urn: String { Self.prefix + description }

  /// Parses a URN; the result is `nil` if `urn` is not the URN of a UUID.
  init?(urn: String) {
    guard urn.hasPrefix(Self.prefix) else { return nil }
    self.init(String(urn.dropFirst(Self.prefix.count)))
  }

  private static let prefix = "urn:uuid:"
}

extension String {
  /// The text as content of XML. Characters that XML does not allow become U+FFFD.
  fileprivate var asXML: String {
    let allowed = unicodeScalars.map { scalar in
      switch scalar.value {
      case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...: scalar
      default: "\u{FFFD}" as Unicode.Scalar
      }
    }
    return String(String.UnicodeScalarView(allowed)).asMarkup
  }
}

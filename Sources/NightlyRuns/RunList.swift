internal import Files
package import PipelineFile
internal import RunSchemas
package import ServingStore
internal import System
package import Text

/// The kept runs of a pipeline, newest first. Each run has its result, its quality, and the stores that serve
/// it. If a later night failed before it created a run, this night is the first entry.
package struct RunList {
  /// One run.
  fileprivate struct KeptRun {
    /// The number of the run; `nil` for a night that failed before it created a run.
    var number: Int?
    /// The status: `complete`, `running`, `incomplete`, or the failed stage and its exit status. A night that
    /// failed before it created a run has `start` instead of the stage.
    var status: String
    /// The meaning of the exit status of a failed start, which has no other figures.
    var cause: String?
    /// The stages whose manifest or metrics cannot be read. `run` means the record of the run.
    var damaged: [String] = []
    var asOf: String?
    var started: String?
    /// The duration of all stages in seconds.
    var seconds: Double?
    /// The number of kept rows of each source, in the order of the pipeline file.
    var rows: [(name: String, count: Int)] = []
    /// The number of users with at least one list entry, for each ranking.
    var served: [(name: String, count: Int)] = []
    var quality: RunQuality?
    /// The addresses of the stores that serve this run, and the served generations.
    var stores: [(address: String, generation: Int)] = []
  }

  private let runs: [KeptRun]
  /// The address and the reason for each store that cannot be read.
  package let unknown: [String]

  /// Reads the kept runs, and the served generation of each store.
  ///
  /// - Parameters:
  ///   - pipeline: The parsed pipeline file.
  ///   - work: The work directory.
  ///   - stores: The stores of the pipeline.
  /// - Throws: `FileError` if the directory of the runs cannot be read. A damaged file in a run is not an
  ///   error, because the list shows the damage.
  package init(_ pipeline: Pipeline, work: String, stores: [StoreAddress]) throws {
    let directories = RunDirectories(work: work, pipeline: pipeline.name)
    let isLocked = RunLock.holder(of: directories.root) != nil
    let numbers = try directories.numbers()
    var runs = numbers.map {
      Self.read($0, directories.path(of: $0), pipeline, isRunning: isLocked && $0 == numbers.last)
    }
    var unknown: [String] = []
    for store in stores {
      do {
        let generation = try store.open(for: .reading).currentGeneration(pipeline: pipeline.name)
        guard let generation else { continue }
        for index in runs.indices where runs[index].number == generation.run {
          runs[index].stores.append((store.shown, generation.number))
        }
      } catch {
        unknown.append("\(store.shown): \(error)")
      }
    }
    // The next run removes this note, so the failed start is newer than all runs.
    if let start = FailedStart(of: directories.root) { runs.append(KeptRun(start)) }
    self.runs = runs.reversed()
    self.unknown = unknown
  }

  private static func read(_ number: Int, _ path: String, _ pipeline: Pipeline, isRunning: Bool) -> KeptRun {
    var run = KeptRun(number: number, status: isRunning ? "running" : "incomplete")
    /// Returns the value that `body` reads, or `nil` if the file is absent or damaged. Damage is added to
    /// `damaged`.
    func figures<Figures>(_ stage: String, _ file: String, _ body: () throws -> Figures?) -> Figures? {
      guard Directories.exists(path + "/" + file) else { return nil }
      do { return try body() } catch {
        run.damaged.append(stage)
        return nil
      }
    }
    func manifest(_ stage: Stage) -> Manifest? {
      figures(stage.rawValue, stage.directory) { try Manifest(of: path + "/" + stage.directory) }
    }
    if let record = figures("run", "run.json", { try RunRecord(of: path) }) {
      if record.complete {
        run.status = "complete"
      } else if !isRunning, let failed = record.stages.last(where: { $0.status != 0 }) {
        run.status = "\(failed.stage) failed (\(failed.status))"
      }
      run.asOf = record.asOf?.description
      run.started = record.started
      run.seconds = record.stages.reduce(0) { $0 + $1.seconds }
    }
    if let snapshot = manifest(.ingest) {
      run.asOf = snapshot.asOf.description
      run.rows = pipeline.sourceNames.compactMap { name in
        snapshot.counts["sources"]?[name]?["kept"]?.integerValue.map { (name, $0) }
      }
    }
    if let lists = manifest(.rank)?.counts["lists"] {
      run.served = pipeline.rankings.compactMap { ranking in
        guard let users = lists[ranking.name]?["users"], let total = users["total"]?.integerValue else {
          return nil
        }
        return (ranking.name, total - (users["empty_lists"]?.integerValue ?? 0))
      }
    }
    run.quality = figures("evaluate", Stage.evaluate.directory) { try RunQuality(of: path) }
    return run
  }

  /// Returns the runs as a table.
  ///
  /// - Parameter format: The output format. JSON output is one array.
  /// - Returns: The lines, with a header unless the format is JSON. Without runs, only the header or an empty
  ///   JSON array is returned.
  package func lines(_ format: ResultFormat) -> [String] {
    switch format {
    case .json: return [String(decoding: JSONValue.array(runs.map(\.json)).pretty, as: UTF8.self)]
    case .csv: return csv.rows
    case .text(let width):
      var table = TextTable(
        [.right, .left, .left, .left, .right],
        header: ["run", "status", "started", "as of", "seconds", "figures"], cutsTexts: false)
      for run in runs {
        table.append(
          [
            run.number.map { String($0) } ?? "-", run.status, run.started ?? "-", run.asOf ?? "-",
            run.seconds?.fixed(1) ?? "-",
          ], run.words)
      }
      return table.lines(indent: 0, width: width)
    }
  }

  /// The runs as CSV. Each figure has its own column, which is empty for runs without the figure.
  private var csv: CSVText {
    let parts: [KeyPath<KeptRun, [(name: String, value: String)]>] = [
      \.rowFigures, \.listFigures, \.qualityFigures,
    ]
    let figures = runs.map { run in
      Dictionary(parts.flatMap { run[keyPath: $0] }.map { ($0.name, $0.value) }) { first, _ in first }
    }
    var names: [String] = []
    for part in parts {
      for figure in runs.flatMap({ $0[keyPath: part] }) where !names.contains(figure.name) {
        names.append(figure.name)
      }
    }
    var text = CSVText()
    text.append(
      header: [
        "run", "status", "damaged", "started", "as_of", "seconds", "served_by", "generations",
      ] + names)
    for (run, figures) in zip(runs, figures) {
      for field in [
        run.number.map { String($0) } ?? "", run.status, run.damaged.joined(separator: " "),
        run.started ?? "", run.asOf ?? "",
      ] {
        text.append(plain: field)
      }
      text.append(plain: run.seconds?.fixed(1) ?? "")
      text.append(text: run.stores.map(\.address).joined(separator: " "))
      text.append(plain: run.stores.map { String($0.generation) }.joined(separator: " "))
      for name in names { text.append(plain: figures[name] ?? "") }
      text.endRow()
    }
    return text
  }
}

extension RunList.KeptRun {
  fileprivate init(_ start: FailedStart) {
    self.init(number: nil, status: "start failed (\(start.status))")
    (started, cause) = (start.time.description, ExitStatus(rawValue: start.status)?.meaning)
  }

  fileprivate var rowWords: [String] { rows.map { "\($0.count.grouped) \($0.name)" } }
  fileprivate var words: [String] {
    var words = damaged.map { "damaged \($0)" } + rowWords
    if let cause { words.append(cause) }
    words += servedWords.map { "lists \($0)" }
    words += qualityWords
    words += storeWords.map { "served by \($0)" }
    return words
  }

  fileprivate var storeWords: [String] { stores.map { "\($0.address) (generation \($0.generation))" } }

  fileprivate var servedWords: [String] { served.map { "\($0.name) \($0.count.grouped)" } }

  fileprivate var qualityWords: [String] {
    (quality?.rankings ?? []).flatMap { ranking in
      ranking.figures.map { "\(ranking.name) \($0.text)" }
    }
  }

  fileprivate var rowFigures: [(name: String, value: String)] {
    rows.map { ("rows.\($0.name)", String($0.count)) }
  }

  fileprivate var listFigures: [(name: String, value: String)] {
    served.map { ("users_with_lists.\($0.name)", String($0.count)) }
  }

  /// The mean of each metric, and the ends of its interval.
  fileprivate var qualityFigures: [(name: String, value: String)] {
    var figures: [(name: String, value: String)] = []
    for ranking in quality?.rankings ?? [] {
      for figure in ranking.figures {
        let name = "quality.\(ranking.name).\(figure.metric.lowercased())"
        figures.append((name, "\(figure.mean)"))
        for (end, value) in [("low", figure.interval?.low), ("high", figure.interval?.high)] {
          figures.append(("\(name).\(end)", value.map { "\($0)" } ?? ""))
        }
      }
    }
    return figures
  }

  fileprivate var json: JSONValue {
    func counts(_ counts: [(name: String, count: Int)]) -> JSONValue {
      .object(Dictionary(counts.map { ($0.name, .integer($0.count)) }) { first, _ in first })
    }
    let quality = (quality?.rankings ?? []).map { ranking -> (String, JSONValue) in
      let figures = ranking.figures.map {
        figure -> (String, JSONValue) in
        let ends = figure.interval.map { JSONValue.array([.number($0.low), .number($0.high)]) } ?? .null
        return (figure.metric.lowercased(), .object(["mean": .number(figure.mean), "interval": ends]))
      }
      return (ranking.name, .object(Dictionary(figures) { first, _ in first }))
    }
    return .object([
      "run": number.map { .integer($0) } ?? .null, "status": .string(status),
      "damaged": .array(damaged.map { .string($0) }), "as_of": asOf.map { .string($0) } ?? .null,
      "started": started.map { .string($0) } ?? .null, "seconds": seconds.map { .number($0) } ?? .null,
      "rows": counts(rows), "users_with_lists": counts(served),
      "quality": .object(Dictionary(quality) { first, _ in first }),
      "served_by": .array(storeWords.map { .string($0) }),
    ])
  }
}

internal import Files
package import PipelineFile
internal import RunSchemas
package import ServingStore
internal import System
package import Text

/// The kept runs of a pipeline, newest first. Each run has its result, its quality, and the stores that serve
/// it.
package struct RunList {
  /// One run.
  fileprivate struct KeptRun {
    var number: Int
    /// The status: `complete`, `running`, `incomplete`, or the failed stage and its exit status.
    var status: String
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
    /// The stores that serve this run.
    var stores: [String] = []
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
          runs[index].stores.append("\(store.shown) (generation \(generation.number))")
        }
      } catch {
        unknown.append("\(store.shown): \(error)")
      }
    }
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
    case .csv:
      var text = CSVText()
      text.append(header: [
        "run", "status", "damaged", "started", "as_of", "seconds", "rows", "users_with_lists", "quality",
        "served_by",
      ])
      for run in runs {
        text.append(integer: run.number)
        for field in [run.status, run.damaged.joined(separator: " "), run.started ?? "", run.asOf ?? ""] {
          text.append(plain: field)
        }
        text.append(plain: run.seconds?.fixed(1) ?? "")
        for field in [run.rowWords, run.servedWords, run.qualityWords, run.stores] {
          text.append(text: field.joined(separator: ", "))
        }
        text.endRow()
      }
      return text.rows
    case .text(let width):
      var table = TextTable(
        [.right, .left, .left, .left, .right],
        header: ["run", "status", "started", "as of", "seconds", "figures"], cutsTexts: false)
      for run in runs {
        table.append(
          [
            String(run.number), run.status, run.started ?? "-", run.asOf ?? "-",
            run.seconds?.fixed(1) ?? "-",
          ], run.words)
      }
      return table.lines(indent: 0, width: width)
    }
  }
}

extension RunList.KeptRun {
  fileprivate var rowWords: [String] { rows.map { "\($0.count.grouped) \($0.name)" } }
  fileprivate var words: [String] {
    var words = damaged.map { "damaged \($0)" } + rowWords
    words += servedWords.map { "lists \($0)" }
    words += qualityWords
    words += stores.map { "served by \($0)" }
    return words
  }

  fileprivate var servedWords: [String] { served.map { "\($0.name) \($0.count.grouped)" } }

  fileprivate var qualityWords: [String] {
    (quality?.rankings ?? []).flatMap { ranking in
      ranking.figures.map { "\(ranking.name) \($0.text)" }
    }
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
      "run": .integer(number), "status": .string(status),
      "damaged": .array(damaged.map { .string($0) }), "as_of": asOf.map { .string($0) } ?? .null,
      "started": started.map { .string($0) } ?? .null, "seconds": seconds.map { .number($0) } ?? .null,
      "rows": counts(rows), "users_with_lists": counts(served),
      "quality": .object(Dictionary(quality) { first, _ in first }),
      "served_by": .array(stores.map { .string($0) }),
    ])
  }
}

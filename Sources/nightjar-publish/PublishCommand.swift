import ArgumentParser
import PipelineFile
import ServingStore
import StageSupport
import Tables

@main
struct PublishCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nightjar-publish",
    abstract: "Loads RUN-DIR/rankings into the serving store as a new generation, and serves it.",
    discussion: "Prints what is served now, as JSON.\n\n" + ExitStatus.table, version: Tool.version)

  @OptionGroup var options: StageOptions

  func run() throws {
    try StageMain.guarded {
      let inherited = ChildProcess.inherit()
      let pipeline = try options.pipeline.load()
      let lock = inherited == nil ? try RunLock(ofRun: options.runDirectory, stage: .publish) : nil
      let published = try publish(pipeline)
      // One store's report as it always was; of several, an array.
      let reports = published.map(\.json)
      let report = reports.count == 1 ? reports[0] : .array(reports)
      Console.result(String(decoding: report.pretty, as: UTF8.self))
      _ = consume lock
    }
  }

  private func publish(_ pipeline: Pipeline) throws -> [Published] {
    guard let publication = pipeline.publication else {
      throw StageFailure(
        .badPipelineFile,
        "\(pipeline.file): it has no 'publish', so there is no store to load. Add publish.store.")
    }
    let run = options.runDirectory
    let rankings = run + "/rankings"
    let manifest = try Manifest(of: rankings)
    if pipeline.publication?.attributes.isEmpty == false {
      _ = try Manifest.parents(["snapshot", "rankings"], in: run)
    }
    var addresses: [StoreAddress] = []
    for store in publication.stores {
      addresses.append(try StoreAddress(parsing: store, relativeTo: pipeline.directory))
    }
    let lists = RankingsPublication(
      directory: rankings, pipeline: pipeline.name,
      run: Int(Directories.resolved(run).split(separator: "/").last ?? "") ?? 0,
      asOf: manifest.asOf.milliseconds, keep: publication.keep, lists: pipeline.rankings.map(\.name),
      matches: pipeline.matches.map(\.name))
    let people = try PublishedAttributes(publication, pipeline, run: run)
    // Each store is served anew or left as it is by itself; one that fails does not keep the others from it.
    var published: [Published] = []
    var failure: (any Error)?
    for address in addresses {
      do {
        let clock = ContinuousClock()
        let start = clock.now
        let generation = try lists.publish(
          to: address.open(for: .publishing), threads: options.threads.count, loadingPeople: people.load)
        published.append(Published(address: address, generation: generation))
        guard !options.quiet else { continue }
        Console.tell(
          Stage.publish.line(
            "generation \(generation.number) in \(address.told)", "\(generation.kept.grouped) kept",
            seconds: start.duration(to: clock.now).inSeconds))
      } catch {
        if let failure { Console.tell("nightjar: \(failure)") }
        failure = error
      }
    }
    if let failure { throw failure }
    return published
  }
}

/// What one store serves now.
private struct Published {
  var address: StoreAddress
  var generation: PublishedGeneration

  var json: JSONValue {
    let rows = (generation.lists + generation.matches).map { ($0.name, JSONValue.integer($0.rows)) }
    return [
      "generation": .integer(generation.number), "kept": .integer(generation.kept),
      "store": .string(address.shown), "rows": .object(Dictionary(uniqueKeysWithValues: rows)),
    ]
  }
}

extension StoreAddress {
  /// As a line for people has it: a file by its path alone.
  fileprivate var told: String {
    let text = shown
    return text.hasPrefix("sqlite:") ? String(text.dropFirst("sqlite:".count)) : text
  }
}

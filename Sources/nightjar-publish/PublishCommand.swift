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
      let clock = ContinuousClock()
      let start = clock.now
      let (address, published) = try publish(pipeline)
      let seconds = start.duration(to: clock.now).inSeconds
      if !options.quiet {
        Console.tell(
          Stage.publish.line(
            "generation \(published.number) in \(address.dropFirst("sqlite:".count))",
            "\(published.kept.grouped) kept", seconds: seconds
          ))
      }
      let rows = (published.lists + published.matches).map { ($0.name, JSONValue.integer($0.rows)) }
      let report: JSONValue = [
        "generation": .integer(published.number), "kept": .integer(published.kept), "store": .string(address),
        "rows": .object(Dictionary(uniqueKeysWithValues: rows)),
      ]
      Console.result(String(decoding: report.pretty, as: UTF8.self))
      _ = consume lock
    }
  }

  private func publish(_ pipeline: Pipeline) throws -> (address: String, PublishedGeneration) {
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
    let address = try StoreAddress(parsing: publication.store, relativeTo: pipeline.directory)
    let store = try address.open(for: .publishing)
    let lists = RankingsPublication(
      directory: rankings, pipeline: pipeline.name,
      run: Int(Directories.resolved(run).split(separator: "/").last ?? "") ?? 0,
      asOf: manifest.asOf.milliseconds, keep: publication.keep, lists: pipeline.rankings.map(\.name),
      matches: pipeline.matches.map(\.name))
    let people = try PublishedAttributes(publication, pipeline, run: run)
    return (
      address.shown, try lists.publish(to: store, threads: options.threads.count, loadingPeople: people.load)
    )
  }
}

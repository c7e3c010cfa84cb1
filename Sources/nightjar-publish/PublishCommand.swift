import ArgumentParser
import CommandLine
import PipelineFile
import ServingStore
internal import System
import Text

@main
struct PublishCommand: Executable {
  static let configuration = CommandConfiguration(
    commandName: "nightjar-publish",
    abstract: "Loads RUN-DIR/rankings into the serving stores as a new generation, and serves it.",
    discussion: """
      Prints what is served now, as JSON. A store that serves the same rows already is left as it is.

      \(ExitStatus.table)
      """, version: Tool.version)

  @OptionGroup var options: StageOptions

  @Flag(
    help: """
      Publish although a guard of the pipeline file would not let it pass, or the same is served already. The generation's \
      note tells which guards were overridden.
      """) var force = false
  @Flag(help: "Change nothing; tell what would be done.") var dryRun = false

  func run() throws {
    try StageMain.guarded {
      let inherited = ChildProcess.inherit()
      try ThreadCheck.require()
      let pipeline = try options.pipeline.load()
      let lock = inherited == nil ? try RunLock(ofRun: options.runDirectory, stage: .publish) : nil
      let night = try PublishedNight(pipeline, run: options.runDirectory)
      // Each store is served anew or left as it is by itself; one that fails does not keep the others from it.
      var reports: [JSONValue] = []
      var failure: (any Error)?
      for address in night.addresses {
        do {
          // Under a run that tells for its stages, a stage draws all the same.
          let progress = LoadingProgress(isShown: !options.quiet || inherited != nil)
          reports.append(
            try dryRun ? plan(night, address) : address.reconnecting { try publish(night, address, progress) }
          )
        } catch {
          if let failure { Console.tell("nightjar: \(failure)") }
          failure = error
        }
      }
      if let failure { throw failure }
      let report = reports.count == 1 ? reports[0] : .array(reports)
      Console.result(String(decoding: report.pretty, as: UTF8.self))
      _ = consume lock
    }
  }

  private func publish(
    _ night: PublishedNight, _ address: StoreAddress, _ progress: LoadingProgress
  ) throws -> JSONValue {
    let clock = ContinuousClock()
    let start = clock.now
    let store = try address.open(for: .publishing, busyTimeout: address.patience)
    let served = try store.currentGeneration(pipeline: night.pipeline.name)
    if let served, served.note.content == night.content, !force {
      return told(
        night.report(
          address, generation: served.number, rows: served.tables.rankings,
          other: [
            "unchanged": .boolean(true),
            "kept": .integer(try store.generations(pipeline: night.pipeline.name).count),
          ]), clock, start)
    }
    let violations = night.violations(served: served)
    guard violations.isEmpty || force else { throw night.refusal(violations, address, served: served) }
    let published = try progress.shown {
      try night.publication(overriding: violations).publish(
        to: store, threads: options.threads.count, loadingMore: night.load, observe: progress.show)
    }
    return told(
      night.report(
        address, generation: published.number, rows: published.tables.rankings,
        other: ["kept": .integer(published.kept), "loaded": .integer(published.tables.rows)]
          .merging(overridden(violations)) { $1 }), clock, start)
  }

  /// What a publish would do.
  private func plan(_ night: PublishedNight, _ address: StoreAddress) throws -> JSONValue {
    let store = try existing(address)
    let generations = try store?.generations(pipeline: night.pipeline.name) ?? []
    let served = generations.first(where: \.isServed)
    let violations = night.violations(served: served)
    let isSame = served != nil && served?.note.content == night.content
    let number = (generations.first?.number ?? 0) + 1
    let wouldDo =
      isSame && !force
      ? "nothing: generation \(served?.number ?? 0) holds the same"
      : violations.isEmpty || force
        ? "load generation \(number), serve it instead of \(served.map { "\($0.number)" } ?? "nothing"), keep "
          + "\(min(generations.count + 1, night.keep))"
        : "refuse"
    if !options.quiet {
      Console.tell("  would    \(address.shown): \(wouldDo)")
      for violation in violations { Console.tell("           \(violation.guardName): \(violation.found)") }
    }
    return night.report(
      address, generation: isSame && !force ? served?.number ?? 0 : number, rows: night.rows,
      other: ["would": .string(wouldDo)].merging(overridden(violations)) { $1 })
  }

  /// The store, if there is one yet.
  private func existing(_ address: StoreAddress) throws -> (any ServingStore)? {
    do throws(ServingStoreError) {
      return try address.open(for: .reading)
    } catch {
      if error.code == .absent { return nil }
      throw error
    }
  }

  private func overridden(_ violations: [PublicationGuards.Violation]) -> [String: JSONValue] {
    violations.isEmpty ? [:] : ["guards": .array(violations.map { .string($0.guardName) })]
  }

  private func told(_ report: JSONValue, _ clock: ContinuousClock, _ start: ContinuousClock.Instant)
    -> JSONValue
  {
    if !options.quiet {
      Console.tell(Stage.line(published: report, seconds: start.duration(to: clock.now).inSeconds))
    }
    return report
  }
}

extension StoreAddress {
  /// How long a night waits for another publisher. The lock of one that was killed lasts half a minute in Redis.
  fileprivate var patience: Duration { if case .redis = backend { .seconds(40) } else { .seconds(5) } }
}

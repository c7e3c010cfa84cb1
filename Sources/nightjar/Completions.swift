import ArgumentParser
import PipelineFile
internal import RunSchemas

/// The completions that a shell offers: pipeline files, and names from the pipeline file of the command.
extension CompletionKind {
  static let pipelines = CompletionKind.file(extensions: ["yaml", "yml"])
  static let lists = names { $0.rankings.map(\.name) }
  static let catalogs = names { $0.catalogs.map(\.name) }
  static let models = names { $0.namedModels.compactMap(\.name) }

  private static func names(_ names: @escaping @Sendable (Pipeline) -> [String]) -> CompletionKind {
    .custom { words, _, _ in
      let file = words.first { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }
      let files = file.map { [$0] } ?? filesOfLastRuns(in: work(of: words))
      // An unreadable file gives no completions, because the command itself reports the error.
      let pipelines = files.compactMap { try? Pipeline(file: $0, overrides: []) }
      return Set(pipelines.flatMap(names)).sorted()
    }
  }

  /// Returns the work directory on the command line. A shell may split `--work=DIR` at the equals sign.
  private static func work(of words: [String]) -> String {
    if let option = words.firstIndex(of: "--work") {
      return words[(option + 1)...].first { $0 != "=" } ?? ShownCommand.usualWork
    }
    return words.first { $0.hasPrefix("--work=") }.map { String($0.dropFirst(7)) } ?? ShownCommand.usualWork
  }

  /// Returns the pipeline files of the last complete runs of all pipelines in the work directory `work`.
  private static func filesOfLastRuns(in work: String) -> [String] {
    let pipelines = (try? RunDirectories.pipelines(in: work)) ?? []
    return pipelines.compactMap { pipeline in
      try? RunRecord(of: RunDirectories(work: work, pipeline: pipeline).latest()).pipelineFile
    }
  }
}

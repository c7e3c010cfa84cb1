import ArgumentParser
import PipelineFile

/// The completions that a shell offers: pipeline files, and names from the pipeline file on the command line.
extension CompletionKind {
  static let pipelines = CompletionKind.file(extensions: ["yaml", "yml"])
  static let lists = names { $0.rankings.map(\.name) }
  static let catalogs = names { $0.catalogs.map(\.name) }
  static let models = names { $0.namedModels.compactMap(\.name) }

  private static func names(_ names: @escaping @Sendable (Pipeline) -> [String]) -> CompletionKind {
    .custom { arguments, _, _ in
      let file = arguments.first { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }
      // An unreadable file gives no completions, because the command itself reports the error.
      return file.flatMap { try? Pipeline(file: $0, overrides: []) }.map(names) ?? []
    }
  }
}

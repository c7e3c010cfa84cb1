internal import Exports
internal import Glibc
package import PipelineFile

/// How large the exports of a pipeline are.
package enum ExportSizes {
  package struct File: Hashable, Sendable {
    package var bytes: Int
    package var isCompressed: Bool
  }

  /// The files that the sources name now. What is not there, or is no file, is left out: whoever reads it will say so.
  package static func files(of pipeline: Pipeline) -> [File] {
    (pipeline.entities.map(\.source) + pipeline.interactions.map(\.source)).flatMap { source -> [File] in
      let files = try? ExportFile.files(named: source.paths, in: pipeline.directory)
      return (files ?? []).compactMap { file in
        var status = stat()
        guard unsafe stat(file.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return File(bytes: Int(status.st_size), isCompressed: isCompressed(file.shown))
      }
    }
  }

  /// Whether a file is compressed, by its name.
  package static func isCompressed(_ path: String) -> Bool {
    path.hasSuffix(".gz") || path.hasSuffix(".zst")
  }
}

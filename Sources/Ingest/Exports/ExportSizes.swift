internal import Glibc
package import PipelineFile
internal import Readers

/// The sizes of the exports of a pipeline.
package enum ExportSizes {
  package struct File: Hashable, Sendable {
    package var bytes: Int
    package var isCompressed: Bool
    /// The time of the last modification, in seconds since 1970.
    package var changed: Double
  }

  /// The existing files of all sources. Missing files and directories are left out: the reader reports them.
  package static func files(of pipeline: Pipeline) -> [File] {
    pipeline.sources.map(\.source).flatMap { source -> [File] in
      let files = try? ExportFile.files(named: source.paths, in: pipeline.directory)
      return (files ?? []).compactMap { file in
        var status = stat()
        guard unsafe stat(file.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return File(
          bytes: Int(status.st_size), isCompressed: isCompressed(file.shown),
          changed: Double(status.st_mtim.tv_sec))
      }
    }
  }

  /// The paths, as in the pipeline file, of exports that are missing or unreadable.
  package static func missing(in pipeline: Pipeline) -> [String] {
    pipeline.sources.map(\.source).flatMap { source -> [String] in
      if source.paths.isEmpty || source.paths == ["-"] { return [] }
      guard let files = try? ExportFile.files(named: source.paths, in: pipeline.directory) else {
        return source.paths
      }
      return files.filter { unsafe access($0.path, R_OK) != 0 }.map(\.shown)
    }
  }

  /// Whether the file name has a compression suffix.
  package static func isCompressed(_ path: String) -> Bool {
    path.hasSuffix(".gz") || path.hasSuffix(".zst")
  }
}

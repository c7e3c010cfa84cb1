internal import Glibc
package import PipelineFile
package import Readers

/// The sizes of the exports of a pipeline.
package enum ExportSizes {
  package struct File: Hashable, Sendable {
    package var bytes: Int
    package var isCompressed: Bool
    /// The time of the last modification, in seconds since 1970 UTC.
    package var changed: Double
  }

  /// Returns the regular files of all sources. A source whose files cannot be listed is left out, because the
  /// reader reports the error later.
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

  /// Returns the exports that can be read only once: standard input, unnamed pipes and devices.
  ///
  /// - Throws: `ExportError` if files cannot be listed, or for a named pipe.
  package static func streams(in pipeline: Pipeline) throws(ExportError) -> [String] {
    var streams: [String] = []
    for source in pipeline.sources.map(\.source) where !source.paths.isEmpty {
      for file in try ExportFile.files(named: source.paths, in: pipeline.directory) {
        var status = stat()
        let isFile = unsafe stat(file.path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
        if file.path == "-" || !isFile { streams.append(file.shown) }
      }
    }
    return streams
  }

  /// Returns whether the file name has a compression suffix.
  package static func isCompressed(_ path: String) -> Bool {
    path.hasSuffix(".gz") || path.hasSuffix(".zst")
  }
}

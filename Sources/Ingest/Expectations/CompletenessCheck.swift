internal import Files
internal import Foundation
internal import PipelineFile
internal import Readers
internal import Text

/// The files beside an export that show whether it is complete: `expect.complete`.
struct CompletenessCheck {
  let pipeline: Pipeline
  let source: Pipeline.Source

  /// The places where the file `name` must be. A path with a slash is relative to the pipeline file. A name alone is
  /// in each folder of the source's paths.
  ///
  /// - Throws: `ExportError` if a file of the source is gone.
  func places(of name: String) throws(ExportError) -> [String] {
    if name.contains("/") || source.paths.isEmpty { return [pipeline.resolve(name)] }
    var folders: [String] = []
    for path in source.paths {
      let resolved = pipeline.resolve(path)
      if Directories.isDirectory(resolved) {
        folders.append(resolved)
      } else {
        let files = try ExportFile.files(named: [path], in: pipeline.directory)
        folders += files.map { Directories.parent(of: $0.path) }
      }
    }
    return Set(folders).sorted().map { $0 + "/" + name }
  }

  /// The number of rows in the file at `path`; `nil` if it is missing or has no such number.
  ///
  /// The file has the number as its first word, as `wc -l` writes it, or is a JSON object with `rows` or `count`.
  static func rows(in path: String) -> Int? {
    guard let data = try? Data(contentsOf: URL(filePath: path)), data.count <= 1 << 20 else { return nil }
    if let object = try? JSONDecoder().decode(JSONValue.self, from: data), case .object = object {
      return (object["rows"] ?? object["count"])?.integerValue
    }
    let words = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    return words.first.flatMap { Int($0) }
  }
}

extension IngestedExports {
  /// The results of `expect.complete` of each source that was read, in the pipeline's order.
  func completeness() -> [CheckedExpectation] {
    pipeline.entities.flatMap { entity in
      entities[entity.name].map { completeness(entity.name, entity.source, entity.expectations, $0.reading) }
        ?? []
    }
      + checkIns.flatMap {
        completeness($0.checkIns.name, $0.checkIns.source, $0.checkIns.expectations, $0.reading)
      }
      + interactions.flatMap {
        completeness($0.interaction.name, $0.interaction.source, $0.interaction.expectations, $0.reading)
      }
      + requests.flatMap {
        completeness($0.requests.name, $0.requests.source, $0.requests.expectations, $0.reading)
      }
  }

  private func completeness(
    _ name: String, _ source: Pipeline.Source, _ expectations: Pipeline.Expectations, _ reading: SourceReading
  ) -> [CheckedExpectation] {
    let check = CompletenessCheck(pipeline: pipeline, source: source)
    return [
      expectations.marker.map { check.marker($0) },
      expectations.rowsIn.map { check.rows($0, read: reading.rows) },
    ].compactMap { found in
      found.map {
        CheckedExpectation(
          source: name, expectation: $0.key, expected: $0.expected, found: $0.found,
          outcome: $0.isMet ? .met : .violated,
          advice: $0.isMet ? nil : "Is the export complete? If it is, change 'expect' in the pipeline file.")
      }
    }
  }
}

extension CompletenessCheck {
  /// A requirement and what was found.
  struct Finding {
    let key: String
    let expected: String
    let found: String
    let isMet: Bool
  }

  /// Checks that the marker exists in each place.
  func marker(_ name: String) -> Finding {
    let missing = ((try? places(of: name)) ?? [name]).filter { !Directories.exists($0) }
    return Finding(
      key: "complete.marker", expected: name, found: missing.first.map { "no file '\($0)'" } ?? "the file",
      isMet: missing.isEmpty)
  }

  /// Checks that the files state the number of records that were `read`.
  func rows(_ name: String, read: Int) -> Finding {
    let counts = ((try? places(of: name)) ?? [name]).map { ($0, Self.rows(in: $0)) }
    let stated = counts.reduce(0) { $0 + ($1.1 ?? 0) }
    guard let unknown = counts.first(where: { $0.1 == nil }) else {
      return Finding(
        key: "complete.rows_in", expected: stated.counted("row"), found: read.counted("row"),
        isMet: stated == read)
    }
    return Finding(
      key: "complete.rows_in", expected: "a number of rows in '\(name)'",
      found: "no number of rows in '\(unknown.0)'", isMet: false)
  }
}

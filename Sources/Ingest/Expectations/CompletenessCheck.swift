internal import Files
internal import Foundation
internal import PipelineFile
internal import Readers
internal import Text

/// Checks `expect.complete`: files beside an export show whether the export is complete.
struct CompletenessCheck {
  let pipeline: Pipeline
  let source: Pipeline.Source
  let reading: SourceReading

  /// The maximum number of seconds by which a marker may be older than the export. Programs that copy exports
  /// write the files in any order, so a marker can be slightly older.
  static let slack = 3600

  /// Returns the paths where the file `name` must exist. If `name` contains a slash, or if the source has no
  /// paths, `name` is a path relative to the pipeline file. Otherwise, the file must exist in each folder of
  /// the source's paths.
  ///
  /// - Throws: `ExportError` if the files of the source can no longer be listed.
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

  /// The requirement that a key of `expect.complete` states, and the result of the check.
  struct Finding {
    let key: String
    let expected: String
    let found: String
    let isMet: Bool
  }

  /// Checks that the marker exists in each place and is at most `slack` seconds older than the export.
  ///
  /// - Throws: `ExportError` if the files of the source can no longer be listed.
  func marker(_ name: String) throws(ExportError) -> Finding {
    let faults = try places(of: name).compactMap { place -> String? in
      guard Directories.exists(place) else { return "no file '\(place)'" }
      guard let marker = ExportStamp(place), let age = age(of: marker, at: place), age > Self.slack else {
        return nil
      }
      return
        "'\(place)', which is \(durationText(Int64(age) * 1000)) older than the export, so it belongs to an earlier export"
    }
    return Finding(
      key: "complete.marker", expected: name, found: faults.first ?? "the file", isMet: faults.isEmpty)
  }

  /// Returns the seconds by which `marker` is older than the newest file of the export; `nil` if no regular
  /// file was read. A marker in a folder of the export is compared only with the files in this folder.
  private func age(of marker: ExportStamp, at place: String) -> Int? {
    let folder = Directories.parent(of: place) + "/"
    let beside = reading.stamps.filter { $0.path.hasPrefix(folder) }
    return (beside.isEmpty ? reading.stamps : beside).map(\.stamp.modified).max().map {
      $0 - marker.modified
    }
  }

  /// Checks that the numbers in the count files add up to the number of records that were read.
  ///
  /// - Throws: `ExportError` if the files of the source can no longer be listed.
  func rows(_ name: String) throws(ExportError) -> Finding {
    let key = "complete.rows_in"
    var stated = 0
    for place in try places(of: name) {
      switch Self.rows(in: place) {
      case .success(let rows):
        // A damaged count file may contain a huge number, so the sum of the row counts may overflow.
        let (sum, overflows) = stated.addingReportingOverflow(rows)
        stated = overflows ? .max : sum
      case .failure(let fault):
        return Finding(
          key: key, expected: "a number of rows in '\(name)'", found: fault.description, isMet: false)
      }
    }
    return Finding(
      key: key, expected: stated.counted("row"), found: reading.rows.counted("row"),
      isMet: stated == reading.rows)
  }

  /// The reason why no number of rows could be read from a file.
  struct Fault: Error, CustomStringConvertible {
    let description: String
  }

  private static let mostBytes = 1 << 20

  /// Reads the number of rows from the count file at `path`.
  ///
  /// The number is the first word of the file, as in the output of `wc -l`. In a JSON object, it is the value
  /// of `rows`, or of `count` if `rows` is absent.
  static func rows(in path: String) -> Result<Int, Fault> {
    guard Directories.exists(path) else { return .failure(Fault(description: "no file '\(path)'")) }
    let data: Data
    do {
      data = try Data(contentsOf: URL(filePath: path))
    } catch {
      // The expectation's message adds a period.
      let reason = error.localizedDescription.trimmingCharacters(in: CharacterSet(charactersIn: "."))
      return .failure(Fault(description: "'\(path)', which cannot be read: \(reason)"))
    }
    guard data.count <= mostBytes else {
      return .failure(
        Fault(
          description: "'\(path)', which is larger than 1 MiB: \(data.count.counted("byte"))"))
    }
    // If the file is not a JSON object, its first word is the number.
    let object = try? JSONDecoder().decode(JSONValue.self, from: data)
    let number =
      if case .object = object {
        (object?["rows"] ?? object?["count"])?.integerValue
      } else {
        String(decoding: data, as: UTF8.self).split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) }
      }
    return number.map { .success($0) } ?? .failure(Fault(description: "no number of rows in '\(path)'"))
  }
}

extension IngestedExports {
  /// Returns the results of `expect.complete` for each source that was read, in the pipeline's order.
  ///
  /// - Throws: `ExportError` if the files of a source can no longer be listed.
  func completeness() throws(ExportError) -> [CheckedExpectation] {
    var results: [CheckedExpectation] = []
    for read in readings {
      let check = CompletenessCheck(pipeline: pipeline, source: read.source, reading: read.reading)
      let findings = [
        try read.expectations.marker.map { (name) throws(ExportError) in try check.marker(name) },
        try read.expectations.rowsIn.map { (name) throws(ExportError) in try check.rows(name) },
      ]
      results += findings.compactMap(\.self).map {
        CheckedExpectation(
          source: read.name, expectation: $0.key, expected: $0.expected, found: $0.found,
          outcome: $0.isMet ? .met : .violated,
          advice: $0.isMet ? nil : ExpectationCheck.ifIncomplete)
      }
    }
    return results
  }
}

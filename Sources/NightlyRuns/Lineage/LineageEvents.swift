internal import Files
internal import Foundation
internal import PipelineFile
internal import RunSchemas
internal import ServingStore
internal import System
internal import Text

/// The lineage events of a nightly run, in the format OpenLineage 2-0-2. The nightly run and each of its
/// stages are runs of OpenLineage. The nightly run is the parent of the stages.
///
/// Events name files and stores, and count rows and bytes. They contain no ids, no positions, and no rows.
/// Source: <https://openlineage.io/spec/2-0-2/OpenLineage.json>.
struct LineageEvents: Sendable {
  /// The state that an event reports.
  enum State: String, Sendable {
    case start = "START"
    case complete = "COMPLETE"
    case fail = "FAIL"
    case abort = "ABORT"
  }

  let pipeline: Pipeline
  /// The directory that contains all runs of the pipeline.
  let root: String
  /// The run directory.
  let directory: String
  /// The namespace of the jobs.
  let namespace: String
  /// The time at which the run first began. Together with the directory, this time identifies the run.
  let started: String

  /// The URI of the program that sends the events.
  static let producer = "urn:nightjar:" + Tool.version
  private static let schema = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"

  /// Returns the event of the whole nightly run.
  ///
  /// - Parameters:
  ///   - state: The state of the nightly run.
  ///   - time: The time of the event.
  ///   - asOf: The as-of time; `nil` if it is unknown.
  ///   - message: The reason why the nightly run failed; `nil` if it did not fail.
  /// - Returns: The event as a JSON object of OpenLineage.
  func night(_ state: State, at time: Instant, asOf: Instant?, message: String? = nil) -> JSONValue {
    event(
      state, at: time, name: pipeline.name, kind: "JOB", id: id(of: ""),
      facets: facets(asOf: asOf, message: message), inputs: [], outputs: [])
  }

  /// Returns the event of a stage. Only the event of a complete stage contains inputs and outputs.
  ///
  /// - Parameters:
  ///   - stage: The stage.
  ///   - state: The state of the stage.
  ///   - time: The time of the event.
  ///   - published: The report of the stage `publish`; `nil` for any other stage.
  ///   - attempt: The time at which the stage began. It distinguishes the attempts if a resumed run begins a
  ///     stage again.
  ///   - message: The reason why the stage failed; `nil` if it did not fail.
  /// - Returns: The event as a JSON object of OpenLineage.
  /// - Throws: `FileError` if a manifest of the run cannot be read; `ServingStoreError` if the address of a
  ///   store is invalid.
  func stage(
    _ stage: Stage, _ state: State, at time: Instant, published: JSONValue? = nil, attempt: Instant,
    message: String? = nil
  ) throws -> JSONValue {
    var facets = facets(asOf: nil, message: message)
    facets["parent"] = facet(
      "ParentRunFacet", "1-2-0",
      [
        "run": ["runId": .string(id(of: ""))],
        "job": ["namespace": .string(namespace), "name": .string(pipeline.name)],
      ])
    let isComplete = state == .complete
    return event(
      state, at: time, name: "\(pipeline.name).\(stage.rawValue)", kind: "TASK",
      id: id(of: "\(stage.rawValue) \(attempt)"), facets: facets,
      inputs: isComplete ? try inputs(of: stage) : [],
      outputs: isComplete ? try outputs(of: stage, published) : [])
  }

  private func event(
    _ state: State, at time: Instant, name: String, kind: String, id: String, facets: [String: JSONValue],
    inputs: [JSONValue], outputs: [JSONValue]
  ) -> JSONValue {
    let job: JSONValue = facet(
      "JobTypeJobFacet", "2-0-4",
      ["processingType": "BATCH", "integration": "NIGHTJAR", "jobType": .string(kind)])
    return [
      "eventType": .string(state.rawValue), "eventTime": .string(time.description),
      "producer": .string(Self.producer), "schemaURL": .string(Self.schema),
      "run": ["runId": .string(id), "facets": .object(facets)],
      "job": [
        "namespace": .string(namespace), "name": .string(name), "facets": ["jobType": job],
      ],
      "inputs": .array(inputs), "outputs": .array(outputs),
    ]
  }

  private func facets(asOf: Instant?, message: String?) -> [String: JSONValue] {
    var facets: [String: JSONValue] = [:]
    if let asOf {
      facets["nominalTime"] = facet(
        "NominalTimeRunFacet", "1-0-1", ["nominalStartTime": .string(asOf.description)])
    }
    if let message {
      facets["errorMessage"] = facet(
        "ErrorMessageRunFacet", "1-0-1", ["message": .string(message), "programmingLanguage": "Swift"])
    }
    return facets
  }

  private func facet(_ name: String, _ version: String, _ members: [String: JSONValue]) -> JSONValue {
    let schema = "https://openlineage.io/spec/facets/\(version)/\(name).json#/$defs/\(name)"
    return .object(
      members.merging(["_producer": .string(Self.producer), "_schemaURL": .string(schema)]) { $1 })
  }

  /// Returns the id of an OpenLineage run. `part` is empty for the whole nightly run, and otherwise
  /// identifies a stage.
  private func id(of part: String) -> String {
    NamedUUID(of: URL(filePath: directory).standardizedFileURL.path, started, part).description
  }
}

extension LineageEvents {
  /// Returns the datasets that the stage reads: the exports for ingest, and directories of the run for every
  /// other stage.
  private func inputs(of stage: Stage) throws -> [JSONValue] {
    if stage == .ingest {
      return try Manifest(of: "\(directory)/\(stage.directory)").inputs.filter { !$0.path.isEmpty }.map {
        dataset(
          URL(filePath: $0.path.hasPrefix("/") ? $0.path : pipeline.directory + "/" + $0.path)
            .standardizedFileURL.path,
          version: $0.sha256)
      }
    }
    let parents =
      stage == .publish
      ? [Stage.rank.directory]
      : try Manifest(of: "\(directory)/\(stage.directory)").parents.keys.sorted()
    return try parents.filter { Directories.exists("\(directory)/\($0)/manifest.json") }.map {
      dataset("\(latest)/\($0)", version: try Manifest(of: "\(directory)/\($0)").digest)
    }
  }

  /// Returns the datasets that the stage wrote: the stores for publish, and a directory of the run for every
  /// other stage.
  private func outputs(of stage: Stage, _ published: JSONValue?) throws -> [JSONValue] {
    guard stage == .publish else {
      let manifest = try Manifest(of: "\(directory)/\(stage.directory)")
      let statistics = facet(
        "OutputStatisticsOutputDatasetFacet", "1-0-2",
        [
          "size": .integer(manifest.outputs.reduce(0) { $0 + $1.bytes }),
          "fileCount": .integer(manifest.outputs.count),
        ])
      return [
        dataset("\(latest)/\(stage.directory)", version: manifest.digest, statistics: statistics)
      ]
    }
    guard let published else { return [] }
    let addresses = try (pipeline.publication?.stores ?? []).map {
      try StoreAddress(parsing: $0, relativeTo: pipeline.directory)
    }
    return zip(addresses, published.storeReports).map { address, report in
      let statistics = report["loaded"].map {
        facet("OutputStatisticsOutputDatasetFacet", "1-0-2", ["rowCount": $0])
      }
      let version = report["generation"]?.integerValue.map(String.init)
      if case .sqlite(let path) = address.backend {
        return dataset(
          URL(filePath: path).standardizedFileURL.path, version: version, statistics: statistics)
      }
      return dataset(
        pipeline.name, in: address.description, version: version, statistics: statistics)
    }
  }

  /// The path of the symbolic link to the last complete run. The names of datasets begin with this path, so
  /// that all runs of the pipeline use the same names.
  private var latest: String { URL(filePath: root).standardizedFileURL.path + "/latest" }

  private func dataset(
    _ name: String, in namespace: String = "file", version: String?, statistics: JSONValue? = nil
  ) -> JSONValue {
    var members: [String: JSONValue] = ["namespace": .string(namespace), "name": .string(name)]
    if let version {
      members["facets"] = [
        "version": facet("DatasetVersionDatasetFacet", "1-0-1", ["datasetVersion": .string(version)])
      ]
    }
    if let statistics { members["outputFacets"] = ["outputStatistics": statistics] }
    return .object(members)
  }
}

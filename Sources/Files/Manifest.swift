internal import Foundation
package import Text

/// The record of how a stage directory was made: `manifest.json`, which is written last.
///
/// The manifest contains no wall-clock time, host name or thread count, so the same inputs and the same build
/// give the same bytes.
package struct Manifest: Codable, Hashable, Sendable {
  package var tool: String
  package var stage: String
  package var pipeline: String
  /// The effective pipeline file, with `--set` applied.
  package var configuration: JSONValue
  package var asOf: Instant
  package var seed: UInt64
  /// The exports that were read. Empty except in the manifest of ingest.
  package var inputs: [FileDigest]
  package var outputs: [FileDigest] = []
  /// The counts of the stage, such as the number of rows by outcome.
  package var counts: JSONValue
  /// Maps each earlier stage whose directory was read to the SHA-256 digest of that directory's manifest.
  package var parents: [String: String]

  enum CodingKeys: String, CodingKey {
    case tool, stage, pipeline, configuration, seed, inputs, outputs, counts, parents
    case asOf = "as_of"
  }

  package init(
    tool: String, stage: String, pipeline: String, configuration: JSONValue, asOf: Instant, seed: UInt64,
    inputs: [FileDigest] = [], counts: JSONValue, parents: [String: String] = [:]
  ) {
    self.tool = tool
    self.stage = stage
    self.pipeline = pipeline
    self.configuration = configuration
    self.asOf = asOf
    self.seed = seed
    self.inputs = inputs
    self.counts = counts
    self.parents = parents
  }

  /// The manifest as written to its file: sorted keys, two spaces of indentation. If the outputs have
  /// checksums, the first member is the CRC-32C of all other bytes.
  package var json: [UInt8] {
    let plain = JSONValue.encoded(self)
    return hasChecksums ? SealedJSON.sealed(plain) : plain
  }

  /// The valid as-of times, in milliseconds since 1970 UTC.
  private static let times: ClosedRange<Int64> = -(1 << 58)...1 << 58

  /// Whether the file contains its own checksum. Manifests of earlier versions do not.
  private var hasChecksums: Bool { outputs.contains { $0.crc32c != nil } }

  /// Reads the manifest of the complete stage directory `directory`.
  ///
  /// - Throws: `FileError`, with `find` if the directory does not exist; otherwise with `read`, for example
  ///   if the manifest is damaged.
  package init(of directory: String) throws(FileError) {
    let path = directory + "/manifest.json"
    guard Directories.exists(directory) else {
      throw FileError(
        .find, directory, reason: "the directory of this stage does not exist",
        advice: "Run this stage and the stages before it first.")
    }
    guard Directories.exists(path) else { throw FileError(damaged: path, "it is missing") }
    let opened = try SealedJSON.Opened([UInt8](Data(copying: try MappedFile(path))), path: path)
    do {
      self = try JSONDecoder().decode(Manifest.self, from: Data(opened.plain))
    } catch {
      throw FileError(
        .read, path, reason: "this version cannot read it as a manifest: \(DecodingFault.text(error))",
        advice: DecodingFault.adviceForRuns)
    }
    // Differences of two times must not overflow.
    guard Self.times.contains(asOf.milliseconds) else {
      throw FileError(damaged: path, "its as-of time is out of range")
    }
    if hasChecksums { try opened.requireSeal(path) }
    // A manifest of another stage would not list the files in this directory.
    let name = directory.split(separator: "/").last.map(String.init) ?? directory
    guard stage == name || !Self.stages.contains(name) else {
      throw FileError(damaged: path, "it is the manifest of another stage, '\(stage)'")
    }
  }

  /// The names of the directories that stages write in a run.
  private static let stages: Set = ["snapshot", "index", "models", "rankings", "evaluation"]

  /// Returns the digests of the stage directories of `run` that a stage reads, and checks that these
  /// directories belong together.
  ///
  /// - Parameters:
  ///   - names: The names of stage directories, earlier stages first.
  ///   - run: The run directory.
  /// - Returns: The value for `parents`.
  /// - Throws: `FileError` if a manifest is missing or damaged, or if the recorded digest of an earlier
  ///   directory differs from the digest of that directory in this run.
  package static func parents(_ names: [String], in run: String) throws(FileError) -> [String: String] {
    var digests: [String: String] = [:]
    for name in names {
      let manifest = try Manifest(of: run + "/" + name)
      for (parent, digest) in manifest.parents where digests[parent] != nil && digests[parent] != digest {
        throw FileError(
          .read, run + "/" + name, reason: "it was not made from the '\(parent)' of this run",
          advice: "Remove it, and run its stage again.")
      }
      digests[name] = manifest.digest
    }
    return digests
  }

  /// The digest of the manifest, which later stages store in `parents`.
  package var digest: String { SHA256.digest(of: json) }
}

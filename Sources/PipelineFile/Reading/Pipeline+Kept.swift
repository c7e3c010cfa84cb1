package import Files
internal import Text

extension Pipeline {
  /// Reads the pipeline file from the manifest of a kept run's stage. An earlier version of the program may
  /// have written the manifest.
  ///
  /// The property `configuration` gets the value in the manifest, without changes.
  ///
  /// - Parameters:
  ///   - manifest: The manifest of the stage.
  ///   - file: The path of the manifest, for messages.
  /// - Throws: `PipelineFileError` if the file contains settings that this version does not support.
  package init(of manifest: Manifest, file: String) throws(PipelineFileError) {
    let words = Self.inWordsOfNow(manifest.configuration)
    do throws(PipelineFileError) {
      try self.init(yaml: String(decoding: words.pretty, as: UTF8.self), file: file)
    } catch {
      // The line and the column of `error` refer to the generated text, not to the manifest.
      throw PipelineFileError(
        place: file, reason: "this version cannot read its pipeline file: \(error.reason)",
        advice: DecodingFault.adviceForRuns)
    }
    configuration = manifest.configuration
  }

  /// Returns the configuration, with keys of earlier versions replaced by their current names.
  private static func inWordsOfNow(_ configuration: JSONValue) -> JSONValue {
    var members = configuration.members
    guard let rankings = members["rankings"]?.members else { return configuration }
    members["rankings"] = .object(
      rankings.mapValues { ranking in
        var keys = ranking.members
        guard let entity = keys.removeValue(forKey: Catalog.earlierKey) else { return ranking }
        keys["catalog"] = entity
        return .object(keys)
      })
    return .object(members)
  }
}

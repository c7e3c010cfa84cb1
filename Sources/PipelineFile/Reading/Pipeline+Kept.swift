package import Files
internal import Text

extension Pipeline {
  /// The pipeline file that a stage of a kept run was made by, which an earlier program may have read.
  ///
  /// `configuration` stays as the manifest has it.
  ///
  /// - Parameters:
  ///   - manifest: The stage's.
  ///   - file: What the file is called in messages.
  /// - Throws: `PipelineFileError` where it says what this program does not know.
  package init(of manifest: Manifest, file: String) throws(PipelineFileError) {
    let words = Self.inWordsOfNow(manifest.configuration)
    try self.init(yaml: String(decoding: words.pretty, as: UTF8.self), file: file)
    configuration = manifest.configuration
  }

  /// A configuration with keys as they are called now.
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

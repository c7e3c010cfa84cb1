/// The geohash cell of the candidate's position, as a category.
package struct GeohashFeature: FeatureKind {
  package var precision: Int

  package var names: [String] { ["geohash"] }
  /// The prefix contains one underscore per character of a geohash, so that features of different precisions
  /// have different prefixes.
  package var columnStems: [String] { ["geohash=" + String(repeating: "_", count: precision)] }
}

extension GeohashFeature {
  /// Reads `{ precision: 4 }`.
  static func read(_ setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self {
    try settings.requirePosition(setting, of: settings.candidates, "geohash")
    let keys = try setting.mapping(keys: ["precision"])
    // Ingest snaps positions to cells of `snapPrecision`. A finer precision would form the same groups, only
    // with longer geohashes.
    let finest = settings.pipeline.privacy.snapPrecision
    return Self(precision: try setting.required("precision", in: keys).integer(1...finest))
  }
}

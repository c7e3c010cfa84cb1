/// One kind of feature: what an entry of `model.features` says, and under which names.
///
/// A kind is described here, where the pipeline file is read, and bound to the columns of a snapshot in the module
/// `Features`. `FeatureKey` lists all kinds.
package protocol FeatureKind: Hashable, Sendable {
  /// What columns and reasons call its features, one each: most kinds make one, a position makes two.
  var names: [String] { get }
  /// What the names of its columns begin with: no two features of a model may share one.
  var columnStems: [String] { get }
}

extension FeatureKind {
  package var columnStems: [String] { names }
}

/// A kind that is a word alone: `- distance`.
protocol WordFeature: FeatureKind {
  /// Reads the word; `setting` is its place, for messages.
  static func read(word setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self
}

/// A kind that is a key with a value: `- { category: field }`.
protocol ValueFeature: FeatureKind {
  static func read(_ setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self
}

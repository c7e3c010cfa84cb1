/// One kind of feature, as an entry of `model.features` defines it.
///
/// This module describes the kinds, because it reads the pipeline file. The module `Features` binds them to
/// the columns of a snapshot. `FeatureKey` lists all kinds.
package protocol FeatureKind: Hashable, Sendable {
  /// The names of the features in column names and reasons. Most kinds have one feature; a position has two.
  var names: [String] { get }
  /// The prefixes of the column names. No two features of a model may share a prefix.
  var columnStems: [String] { get }
  /// Whether `other` has the same kind and the same settings.
  func equals(_ other: any FeatureKind) -> Bool
}

extension FeatureKind {
  package var columnStems: [String] { names }

  package func equals(_ other: any FeatureKind) -> Bool { other as? Self == self }
}

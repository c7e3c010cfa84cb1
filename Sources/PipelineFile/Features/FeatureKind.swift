/// The settings of one entry of `model.features`. Each kind of feature has a type of its own.
///
/// This module contains the types, because it reads the pipeline file. The module `Features` binds the
/// features to the columns of a snapshot. `FeatureKey` lists all kinds.
package protocol FeatureKind: Hashable, Sendable {
  /// The names of the features in column names and reasons. Most entries have one feature. A position has
  /// two.
  var names: [String] { get }
  /// The prefixes of the column names. Different features of a model must have different prefixes.
  var columnStems: [String] { get }
  /// Returns whether `other` has the same kind and the same settings.
  func equals(_ other: any FeatureKind) -> Bool
}

extension FeatureKind {
  package var columnStems: [String] { names }

  package func equals(_ other: any FeatureKind) -> Bool { other as? Self == self }
}

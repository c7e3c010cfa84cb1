/// One kind of feature: what an entry of `model.features` says, and under which names.
///
/// A kind is described here, where the pipeline file is read, and bound to the columns of a snapshot in the module
/// `Features`. `FeatureKey` lists all kinds.
package protocol FeatureKind: Hashable, Sendable {
  /// What columns and reasons call its features, one each: most kinds make one, a position makes two.
  var names: [String] { get }
  /// What the names of its columns begin with: no two features of a model may share one.
  var columnStems: [String] { get }
  /// Whether both are of one kind and say the same.
  func equals(_ other: any FeatureKind) -> Bool
}

extension FeatureKind {
  package var columnStems: [String] { names }

  package func equals(_ other: any FeatureKind) -> Bool { other as? Self == self }
}

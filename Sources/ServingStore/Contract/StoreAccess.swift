/// What a store is opened for.
package enum StoreAccess: Hashable, Sendable {
  /// Reading alone: nothing is created or changed, and publishing throws `readOnly`.
  case reading
  /// Publishing and reading: an absent store is created.
  case publishing
}

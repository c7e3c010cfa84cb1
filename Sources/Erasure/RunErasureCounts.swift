/// The numbers of items removed from a run.
package struct RunErasureCounts: Hashable, Sendable {
  /// The number of rows of the snapshot. They describe people, and the things that these people own.
  package var entities = 0
  /// The number of interactions whose user or candidate is one of these people or things.
  package var interactions = 0
  package var models = 0
  package var lists = 0
  /// The number of entries on other people's lists.
  package var places = 0
  package var matches = 0
  package var rejects = 0

  package init() {}

  package var total: Int { entities + interactions + models + lists + places + matches + rejects }
}

/// The numbers of items removed from a run.
package struct RunErasureCounts: Hashable, Sendable {
  /// People and their belongings, as rows of the snapshot, and the interactions of and with either.
  package var entities = 0
  package var interactions = 0
  package var models = 0
  package var lists = 0
  /// Entries on the lists of others.
  package var places = 0
  package var matches = 0
  package var rejects = 0

  package init() {}

  package var total: Int { entities + interactions + models + lists + places + matches + rejects }
}

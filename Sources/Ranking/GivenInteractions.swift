internal import Columns
internal import RunSchemas

/// Whom users have met: of one kind of interactions, the candidates of each user.
///
/// Not the whole table: it is asked for every user, and a copy counts references to each column.
struct GivenInteractions: Sendable {
  private let candidates: Column<UInt32>
  private let offsets: Column<UInt64>

  init(_ table: InteractionTable) { (candidates, offsets) = (table.candidate, table.userOffsets) }

  /// Calls `body` with the row of the candidate of each interaction that `user` did.
  func forEach(of user: Int, _ body: (_ candidate: UInt32) -> Void) {
    let column = candidates.span
    for index in offsets.range(of: user) { body(column[index]) }
  }
}

/// The lists that one method makes for all users, as of the cut.
package struct MethodLists: Sendable {
  /// The list of user u is `candidates[offsets[u]..<offsets[u + 1]]`, best first.
  package private(set) var offsets = [0]
  package private(set) var candidates: [UInt32] = []
  /// The distance to each candidate in kilometers; NaN if unknown.
  package private(set) var distances: [Float] = []

  package init() {}

  package mutating func append(_ list: [(candidate: Int, distance: Double)]) {
    for (candidate, distance) in list {
      candidates.append(UInt32(candidate))
      distances.append(Float(distance))
    }
    offsets.append(candidates.count)
  }

  package var userCount: Int { offsets.count - 1 }

  package subscript(user: Int) -> ArraySlice<UInt32> { candidates[offsets[user]..<offsets[user + 1]] }

  /// Returns the list of `user`, judged against the user's later likes.
  package func judged(_ user: Int, relevant: Set<UInt32>) -> JudgedList {
    JudgedList(hits: self[user].map { relevant.contains($0) }, relevant: relevant.count)
  }
}

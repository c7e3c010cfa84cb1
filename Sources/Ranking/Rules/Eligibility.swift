internal import Columns
internal import Files
package import PipelineFile
package import RunSchemas
internal import Search

/// The rules that decide which candidates may be on which lists, apart from distance and score.
package struct Eligibility: Sendable {
  private let exclusions: [Pipeline.Exclusion]
  /// For each candidate, the index in `exclusions` of the first flag or condition that excludes it; -1 if
  /// none does.
  let flags: [Int16]
  /// The interactions of users with candidates, one element per kind.
  private let given: [GivenInteractions]
  /// The interactions of candidates with users for `vetoed`; empty without that exclusion.
  private let received: [ReceivedInteractions]
  /// The candidates that the exclusion `self` removes; `nil` if the ranking lacks that exclusion.
  private let own: OwnCandidates?
  /// The candidates that the exclusion `friends` removes; `nil` if the ranking lacks that exclusion.
  private let friends: FriendCandidates?
  /// The users' wishes about candidates; `nil` if the ranking has none. `write` leaves wishes out.
  let wishes: Wishes?

  package init(_ ranking: Pipeline.Ranking, _ pipeline: Pipeline, _ snapshot: Snapshot) {
    exclusions = ranking.exclusions
    given = pipeline.interactions
      .filter { $0.user.entity == ranking.users && $0.candidate.entity == ranking.candidates }
      .filter { ranking.interactedKinds?.contains($0.name) ?? true }
      .compactMap { snapshot.interactions[$0.name].map { GivenInteractions($0) } }
    received =
      exclusions.contains(.vetoed)
      ? pipeline.interactions
        .filter { $0.user.entity == ranking.candidates && $0.candidate.entity == ranking.users }
        .compactMap { snapshot.interactions[$0.name].map { ReceivedInteractions($0) } }
      : []
    own = exclusions.contains(.oneself) ? OwnCandidates(ranking, pipeline, snapshot) : nil
    friends = exclusions.contains(.friends) ? FriendCandidates(ranking, pipeline, snapshot) : nil
    wishes = Wishes(ranking, snapshot)
    flags =
      snapshot.entities[ranking.candidates]?
      .exclusionsByFlag(exclusions, asOf: snapshot.manifest.asOf) ?? []
  }

  /// Returns the index in `exclusions` of the first flag or condition that excludes `candidate` from all
  /// lists; `nil` if none does.
  package func flag(of candidate: Int) -> Int? {
    flags[candidate] < 0 ? nil : Int(flags[candidate])
  }

  /// Returns the exclusions of the user at row `user`, for checks of single candidates. The block search uses
  /// `write`, which is faster.
  func of(user: Int) -> UserEligibility {
    UserEligibility(
      exclusions: exclusions, flags: flags, own: ownCandidates(of: user),
      interacted: exclusions.contains(.interacted) ? interactedCandidates(of: user) : [],
      vetoing: exclusions.contains(.vetoed) ? vetoingCandidates(of: user) : [],
      friends: friends.map { Array($0.of(user: user)) } ?? [], wishes: wishes?.of(user: user) ?? [])
  }

  /// Fills `set` with the candidates that are excluded for `user` alone. The exclusions are the same as in
  /// `of(user:)`, except wishes, flags and conditions, which are left out.
  func write(_ user: Int, to set: inout ExclusionSet) {
    set.removeAll()
    for (rule, exclusion) in exclusions.enumerated() {
      switch exclusion {
      case .oneself:
        own?.forEach(of: user) { set.insert($0, rule: rule) }
      case .interacted:
        for interactions in given {
          interactions.forEach(of: user) { set.insert($0, rule: rule, hasInteracted: true) }
        }
      case .vetoed:
        forEachVetoing(user) { set.insert($0, rule: rule) }
      case .friends:
        for candidate in friends?.of(user: user) ?? [] { set.insert(candidate, rule: rule) }
      case .flagged, .notFlagged, .unless, .unwished, .unasked: break
      }
    }
  }

  private func ownCandidates(of user: Int) -> [UInt32] {
    var candidates: [UInt32] = []
    own?.forEach(of: user) { candidates.append($0) }
    return candidates.sortedWithoutRepetition()
  }

  private func interactedCandidates(of user: Int) -> [UInt32] {
    var candidates: [UInt32] = []
    for interactions in given { interactions.forEach(of: user) { candidates.append($0) } }
    return candidates.sortedWithoutRepetition()
  }

  private func vetoingCandidates(of user: Int) -> [UInt32] {
    var candidates: [UInt32] = []
    forEachVetoing(user) { candidates.append($0) }
    return candidates.sortedWithoutRepetition()
  }

  /// Calls `body` with each candidate whose latest interaction with the user is a pass. A like after a pass
  /// ends the veto.
  private func forEachVetoing(_ user: Int, _ body: (UInt32) -> Void) {
    for interactions in received { interactions.forEachPass(of: user, body) }
  }
}

/// The exclusions of one user.
struct UserEligibility: Sendable {
  let exclusions: [Pipeline.Exclusion]
  let flags: [Int16]
  /// Rows of candidates, ascending. The next three arrays have the same form.
  let own: [UInt32]
  let interacted: [UInt32]
  let vetoing: [UInt32]
  let friends: [UInt32]
  /// One element per element of `exclusions`: the user's wish (a condition on candidates that depends on the
  /// user), or `nil` if the exclusion is not a wish or the user lacks the value for it. The array is empty if
  /// the ranking has no wishes.
  let wishes: [UserWish?]

  /// Returns the index of the first exclusion that applies to `candidate`; `nil` for an eligible candidate.
  func exclusion(of candidate: Int) -> Int? {
    exclusions.indices.first { index in
      switch exclusions[index] {
      case .oneself: own.containsSorted(UInt32(candidate))
      case .interacted: interacted.containsSorted(UInt32(candidate))
      case .vetoed: vetoing.containsSorted(UInt32(candidate))
      case .friends: friends.containsSorted(UInt32(candidate))
      case .unwished: wishes[index].map { !$0.isMet(by: candidate) } ?? false
      // The words of the user's lists decide whether this exclusion applies: see `WordsOfUser`.
      case .unasked: false
      case .flagged, .notFlagged, .unless: Int(flags[candidate]) == index
      }
    }
  }

  func hasInteracted(with candidate: Int) -> Bool {
    interacted.containsSorted(UInt32(candidate))
  }
}

extension [UInt32] {
  fileprivate func sortedWithoutRepetition() -> [UInt32] {
    var result: [UInt32] = []
    result.reserveCapacity(count)
    for element in sorted() where element != result.last { result.append(element) }
    return result
  }

  fileprivate func containsSorted(_ element: UInt32) -> Bool {
    let index = partitioningIndex { $0 >= element }
    return index < count && self[index] == element
  }
}

/// The candidates that each user has interacted with, for one kind of interaction.
///
/// This type contains two columns instead of the table. Every user's search copies an instance, and a copy of
/// the table would update the reference count of each column.
struct GivenInteractions: Sendable {
  private let candidates: Column<UInt32>
  private let offsets: Column<UInt64>

  init(_ table: InteractionTable) { (candidates, offsets) = (table.candidate, table.userOffsets) }

  /// Calls `body` with the row of the candidate of each interaction of `user`.
  func forEach(of user: Int, _ body: (_ candidate: UInt32) -> Void) {
    let column = candidates.span
    for index in offsets.range(of: user) { body(column[index]) }
  }
}

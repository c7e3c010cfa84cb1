internal import Columns
package import PipelineFile
package import RunSchemas
package import Text

/// The split of interactions into a learning part and a test part.
///
/// Each group of users has one cut: interactions up to the cut are for learning, and later interactions are
/// for testing. With the setting `leaveLast`, each user's last interactions are for testing instead, so the
/// learning part contains interactions that are later than some tested interactions.
package struct TimeSplit: Sendable {
  /// One group with its cut. Without the setting `within`, all users form a single group without a name.
  package struct Group: Hashable, Sendable {
    package var name: String
    /// The time, in milliseconds since 1970, up to which interactions belong to the learning part; with
    /// `leaveLast`, the as-of time. `nil` if the share for learning is too small to contain an interaction of
    /// the group.
    package var cut: Int64?
    package var learning: Int
    package var test: Int
  }

  package let groups: [Group]
  /// The group number of each user, by row of the users' entity.
  package let groupOfUser: [Int]
  /// Whether each interaction is in the test part.
  package let isTest: [Bool]
  /// The share of the learning interactions that leak between groups. Such an interaction is later than the
  /// cut of another group, and that group is tested on the same candidate. The share is 0 without learning
  /// interactions, with a single group, and with `leaveLast`.
  package let leakingShare: Double
  /// The as-of time of the cut snapshot: the latest cut of any group, but at most the as-of time of the whole
  /// snapshot.
  package let asOf: Instant
  /// The cut time of rows without a group, and of users whose group has no cut. This time is the earliest cut
  /// of any group. If every group lacks a cut, the time is a millisecond before the first interaction, or a
  /// millisecond before the as-of time without interactions.
  private let commonCut: Int64
  private let usersEntity: String

  /// Splits `table` by the cut of `settings`.
  ///
  /// If the cut is a share, each group has the latest cut that leaves at most this share of its interactions
  /// for learning. Interactions with equal times stay in one part.
  ///
  /// - Parameters:
  ///   - table: The interactions to split.
  ///   - users: The users of the interactions.
  ///   - entity: The name of the users' entity.
  ///   - settings: The settings of the split.
  ///   - end: The as-of time of the whole snapshot.
  package init(
    _ table: InteractionTable, users: EntityTable, entity: String, _ settings: Pipeline.Evaluation,
    end: Instant
  ) {
    usersEntity = entity
    let labels = GroupLabels(settings.within, of: users)
    groupOfUser = labels.group
    let (user, at) = (table.user.elements, table.at.elements)
    var isTest = [Bool](repeating: false, count: table.count)
    var cuts: [Int64?]
    switch settings.cut {
    case .leaveLast(let count):
      for row in 0..<users.count {
        for index in table.range(ofUser: row).suffix(count) { isTest[index] = true }
      }
      cuts = labels.names.map { _ in end.milliseconds }
    case .moment(let moment):
      cuts = labels.names.map { _ in moment.milliseconds }
    case .share(let share):
      var times = labels.names.map { _ in [] as [Int64] }
      for index in at.indices { times[labels.group[Int(user[index])]].append(at[index]) }
      cuts = times.map { Self.cut($0, share: share) }
    }
    if case .leaveLast = settings.cut {
    } else {
      for index in at.indices { isTest[index] = at[index] > cuts[labels.group[Int(user[index])]] ?? .min }
    }
    var groups = zip(labels.names, cuts).map { Group(name: $0, cut: $1, learning: 0, test: 0) }
    for index in at.indices {
      let group = labels.group[Int(user[index])]
      if isTest[index] { groups[group].test += 1 } else { groups[group].learning += 1 }
    }
    self.groups = groups
    self.isTest = isTest
    let known = cuts.compactMap { $0 }
    commonCut = known.min() ?? (at.min() ?? end.milliseconds) - 1
    asOf = Instant(milliseconds: min(known.max() ?? commonCut, end.milliseconds))
    if case .leaveLast = settings.cut {
      leakingShare = 0
    } else {
      let common = commonCut
      leakingShare = Self.leakingShare(
        table, isTest, labels.group, cuts: cuts.map { $0 ?? common })
    }
  }

  private static func leakingShare(
    _ table: InteractionTable, _ isTest: [Bool], _ groupOfUser: [Int], cuts: [Int64]
  ) -> Double {
    guard cuts.count > 1 else { return 0 }
    /// The two groups with the earliest cuts that are tested on a candidate.
    struct Tested {
      var first: Int?
      var second: Int?
    }
    let (user, at, candidate) = (table.user.elements, table.at.elements, table.candidate.elements)
    var tested = [Tested](repeating: Tested(), count: table.candidateOffsets.count - 1)
    for index in at.indices where isTest[index] {
      let (group, place) = (groupOfUser[Int(user[index])], Int(candidate[index]))
      let (first, second) = (tested[place].first, tested[place].second)
      if group == first || group == second { continue }
      if first.map({ cuts[group] < cuts[$0] }) ?? true {
        tested[place] = Tested(first: group, second: first)
      } else if second.map({ cuts[group] < cuts[$0] }) ?? true {
        tested[place].second = group
      }
    }
    var (learning, leaking) = (0, 0)
    for index in at.indices where !isTest[index] {
      learning += 1
      let (own, groups) = (groupOfUser[Int(user[index])], tested[Int(candidate[index])])
      let other = groups.first == own ? groups.second : groups.first
      if let other, at[index] > cuts[other] { leaking += 1 }
    }
    return learning == 0 ? 0 : Double(leaking) / Double(learning)
  }

  /// Returns the latest element of `times` with at most the share `share` of all times at or before it.
  /// Returns `nil` if `times` is empty, or if the interactions at the earliest time alone exceed the share.
  private static func cut(_ times: [Int64], share: Double) -> Int64? {
    let sorted = times.sorted()
    // A share such as 0.7 is not exact in binary. With the tolerance, a share of 0.7 of 10 interactions is
    // seven interactions.
    let most = share * Double(sorted.count) * (1 + 1e-12)
    var cut: Int64?
    var index = 0
    while index < sorted.count {
      var next = index + 1
      while next < sorted.count, sorted[next] == sorted[index] { next += 1 }
      guard Double(next) <= most else { break }
      cut = sorted[index]
      index = next
    }
    return cut
  }

  /// Returns the cut time of row `row` of `entity`. For a user, this is the cut of the user's group;
  /// otherwise, it is the earliest cut, which does not leak the future.
  package func cut(ofEntity entity: String, row: Int) -> Int64 {
    entity == usersEntity ? groups[groupOfUser[row]].cut ?? commonCut : commonCut
  }
}

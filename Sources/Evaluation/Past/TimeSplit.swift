internal import Columns
package import PipelineFile
package import RunSchemas
package import Text

/// Which interactions are learned from and which are tested on.
///
/// Each group has one cut: interactions up to it are for learning, later ones for testing. So no learning part contains another
/// user's future, as it would if each user's last interactions were held out.
package struct TimeSplit: Sendable {
  /// The groups' names and moments, in the order of names; one without a name where there are none.
  package struct Group: Hashable, Sendable {
    package var name: String
    /// Interactions up to it are learned from; `nil` where all of the group's are tested on, or there are none.
    package var cut: Int64?
    package var learning: Int
    package var test: Int
  }

  package let groups: [Group]
  /// By row of the users' entity.
  package let groupOfUser: [Int]
  /// By index of the interaction.
  package let isTest: [Bool]
  /// The last moment of any group's learning part: what the cut snapshot calls now.
  package let asOf: Instant
  /// As of when entities are seen that belong to no group, or to one without a moment of its own: the earliest cut of any
  /// group, or of all interactions where none has one.
  private let commonCut: Int64
  private let usersEntity: String

  /// Cuts `table`.
  ///
  /// A share of c cuts each group at the last moment up to which at most c of the group's interactions lie: moments are
  /// never cut in two.
  ///
  /// - Parameters:
  ///   - table: The interactions that are tested on.
  ///   - users: Their users.
  ///   - entity: What the users' entity is called.
  ///   - settings: How to cut.
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
  }

  /// The last moment up to which at most `share` of `times` lie; `nil` where the first has more.
  private static func cut(_ times: [Int64], share: Double) -> Int64? {
    let sorted = times.sorted()
    // A share such as 0.7 is not exactly what was written: 0.7 of 10 is seven.
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

  /// As of when the entity at `row` of `entity` is seen: its group's cut for a user, else the earliest cut, which leaks no
  /// future.
  package func cut(ofEntity entity: String, row: Int) -> Int64 {
    entity == usersEntity ? groups[groupOfUser[row]].cut ?? commonCut : commonCut
  }
}

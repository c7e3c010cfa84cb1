internal import PipelineFile
internal import Search
internal import Text

/// Counts of the users and candidates of one ranking, with the number of candidates that each rule removes.
/// The counts are for operators, not for the app.
///
/// All users with lists are counted. Candidates are counted for all of these users, or for a sample of them.
struct Funnel: Sendable {
  private let exclusions: [String]
  private var users = 0
  private var full = 0
  private var empty = 0
  private var withScores = 0
  private var shortfalls: [Shortfall: Int] = [:]
  private var countedUsers = 0
  private var pairs = 0
  private var counts: SearchCounts
  /// The effect of the limits on exposure; `nil` if there are no limits.
  var exposure: ExposureSummary?

  init(_ ranking: Pipeline.Ranking) {
    exclusions = ranking.exclusions.map(\.name)
    counts = SearchCounts(exclusions: exclusions.count)
  }

  /// Adds the lists of one user to the counts.
  ///
  /// - Parameters:
  ///   - found: The lists of the user.
  ///   - candidates: The number of candidates of the ranking.
  ///   - isCounted: Whether the user's candidates are counted.
  mutating func add(_ found: UserLists, candidates: Int, isCounted: Bool) {
    users += 1
    if found.lists.allSatisfy({ $0.shortfall == nil }) { full += 1 }
    if found.lists.allSatisfy({ $0.best.isEmpty }) { empty += 1 }
    if found.lists.contains(where: { $0.best.first?.score != nil }) { withScores += 1 }
    for list in found.lists { if let shortfall = list.shortfall { shortfalls[shortfall, default: 0] += 1 } }
    guard isCounted, let counts = found.counts else { return }
    countedUsers += 1
    pairs += candidates + found.repeated
    self.counts += counts
  }

  static func += (left: inout Funnel, right: Funnel) {
    left.users += right.users
    left.full += right.full
    left.empty += right.empty
    left.withScores += right.withScores
    left.shortfalls.merge(right.shortfalls, uniquingKeysWith: +)
    left.countedUsers += right.countedUsers
    left.pairs += right.pairs
    left.counts += right.counts
  }

  /// The counts of users, and the counts of pairs of a counted user and a candidate.
  ///
  /// A user with a list for each word counts as full if all lists are full, and as empty if all lists are
  /// empty. Shortfalls are counted per list. A candidate with several tags counts once for each of the user's
  /// lists for these tags.
  var json: JSONValue {
    let lost = Dictionary(zip(exclusions, counts.excluded), uniquingKeysWith: +)
    let short = Dictionary(uniqueKeysWithValues: shortfalls.map { ($0.rawValue, $1) })
    var parts: [String: JSONValue] = [
      "users": [
        "total": .integer(users), "full_lists": .integer(full), "short_lists": .integer(users - full),
        "empty_lists": .integer(empty), "ranked_by_score": .integer(withScores),
        "shortfall": JSONValue(short),
      ],
      "candidates": [
        "counted_users": .integer(countedUsers), "pairs": .integer(pairs),
        "out_of_reach": .integer(pairs - counts.inReach),
        "excluded": JSONValue(lost), "not_above_minimum": .integer(counts.notAboveMinimum),
        "beyond_top": .integer(counts.beyondTop), "listed": .integer(counts.listed),
      ],
    ]
    parts["exposure"] = exposure?.json
    return .object(parts)
  }
}

/// The users whose candidates the funnel counts: all users with lists, or an evenly spaced sample if many
/// users have lists.
struct FunnelSample: Sendable {
  /// The maximum number of users with lists for which all of these users are counted.
  static let most = 10_000
  /// The minimum size of a sample. A sample of this size estimates shares of pairs to within a percent.
  static let size = 2_000

  /// Whether each user is counted, one element per row.
  private let isCounted: [Bool]

  /// Selects the users to count.
  ///
  /// - Parameters:
  ///   - users: The number of rows of the table.
  ///   - hasLists: Whether the user at a row has lists. Users without lists are never counted.
  init(users: Int, hasLists: (_ user: Int) -> Bool) {
    let rows = (0..<users).filter(hasLists)
    let step = rows.count <= Self.most ? 1 : rows.count / Self.size
    var isCounted = [Bool](repeating: false, count: users)
    for place in stride(from: 0, to: rows.count, by: step) { isCounted[rows[place]] = true }
    self.isCounted = isCounted
  }

  func contains(_ user: Int) -> Bool { isCounted[user] }
}

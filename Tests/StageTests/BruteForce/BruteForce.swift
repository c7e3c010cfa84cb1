/// Computes Fusion's lists and matches in the simplest way from the raw exports.
struct BruteForce {
  struct Entry {
    var candidate: String
    /// `nil` if the user has not swiped. The list is then ordered by distance.
    var score: Double?
    var kilometers: Double
    /// The contributions of business field, latitude and longitude. Empty without a score.
    var contributions: [Double] = []
    /// The names of the three features, with the candidate's side of the mean.
    var features: [String] = []
  }

  struct List {
    var entries: [Entry]
    var shortfall: String?
  }

  struct Match: Hashable, Comparable {
    var first: String
    var second: String
    var since: Int64

    static func < (left: Match, right: Match) -> Bool {
      (left.first, left.second) < (right.first, right.second)
    }
  }

  /// Scores that differ by less than this count as equal, because sums can round differently.
  static let tieTolerance = 1e-12

  let exports: RawExports
  let asOf: Int64
  let radius: Double
  let top: Int
  let seed: UInt64
  /// All people who exist at the as-of time, ordered by id.
  let ids: [String]
  /// By person, this person's swipes, ordered by time and row.
  let swipesByUser: [String: [RawExports.Swipe]]
  let cells: [String: PlainGeodesy.Cell]
  /// By person, the people whose latest swipe on this person is a pass.
  private let vetoesByUser: [String: Set<String>]
  /// By person, the people on whom this person ever swiped.
  private let candidatesByUser: [String: Set<String>]
  private let kept: [RawExports.Swipe]

  init(_ exports: RawExports, asOf: Int64, radius: Double = 500, top: Int = 10, seed: UInt64 = 42) {
    self.exports = exports
    self.asOf = asOf
    self.radius = radius
    self.top = top
    self.seed = seed
    let existing = exports.people.filter { $0.value.createdAt <= asOf }
    ids = existing.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    kept = exports.swipes.filter {
      $0.at <= asOf && existing[$0.user] != nil && existing[$0.candidate] != nil
    }
    swipesByUser = Dictionary(grouping: kept, by: \.user)
      .mapValues { $0.sorted { ($0.at, $0.line) < ($1.at, $1.line) } }
    candidatesByUser = swipesByUser.mapValues { Set($0.map(\.candidate)) }
    var latest: [String: [String: Bool]] = [:]
    for (user, swipes) in swipesByUser {
      for swipe in swipes { latest[swipe.candidate, default: [:]][user] = swipe.isLike }
    }
    vetoesByUser = latest.mapValues { received in Set(received.filter { !$0.value }.keys) }
    cells = existing.compactMapValues { person in
      person.position.map {
        PlainGeodesy.cell(latitude: $0.latitude, longitude: $0.longitude, precision: 6)
      }
    }
  }

  var keptPeople: Int { ids.count }
  var laterPeople: Int { exports.people.count - ids.count + exports.laterDocuments }
  var keptSwipes: Int { kept.count }
  var laterSwipes: Int { exports.swipes.count - kept.count }

  /// Whether `user` has ever swiped on `candidate`.
  func interacted(_ user: String, _ candidate: String) -> Bool {
    candidatesByUser[user]?.contains(candidate) ?? false
  }

  /// Whether the latest swipe of `candidate` on `user` is a pass.
  func vetoes(_ candidate: String, _ user: String) -> Bool {
    vetoesByUser[user]?.contains(candidate) ?? false
  }

  func model(of user: String) -> PlainRegression? {
    guard let swipes = swipesByUser[user] else { return nil }
    return PlainRegression(swipes.map { candidate($0.candidate) }, liked: swipes.map(\.isLike))
  }

  private func candidate(_ id: String) -> PlainRegression.Candidate {
    PlainRegression.Candidate(
      businessField: exports.people[id]?.businessField, latitude: cells[id]?.latitude,
      longitude: cells[id]?.longitude)
  }

  /// Returns the list of `user`, who must exist.
  func list(of user: String) -> List {
    guard let origin = cells[user] else { return List(entries: [], shortfall: "no_position") }
    let interacted = candidatesByUser[user, default: []]
    let vetoing = vetoesByUser[user, default: []]
    let model = model(of: user)
    var entries: [Entry] = []
    var knowsSomebodyInReach = false
    var sawLowScore = false
    for id in ids where id != user {
      // A degree of latitude is longer than 111 km, so this cheap check rejects most people.
      guard let cell = cells[id], abs(cell.latitude - origin.latitude) < radius / 111 else { continue }
      let kilometers = PlainGeodesy.kilometers(origin, cell)
      guard kilometers <= radius else { continue }
      if interacted.contains(id) { knowsSomebodyInReach = true }
      let isDeleted = exports.people[id]?.isDeleted ?? false
      if isDeleted || interacted.contains(id) || vetoing.contains(id) { continue }
      guard let model else {
        entries.append(Entry(candidate: id, score: nil, kilometers: kilometers))
        continue
      }
      let features = candidate(id)
      let contributions = model.contributions(features)
      let score = model.base + contributions.reduce(0, +)
      guard score > 0 else {
        sawLowScore = true
        continue
      }
      entries.append(
        Entry(
          candidate: id, score: score, kilometers: kilometers, contributions: contributions,
          features: words(features, model)))
    }
    let best = ordered(entries, user: user)
    guard best.count < top else { return List(entries: best, shortfall: nil) }
    let shortfall = sawLowScore ? "none_above_minimum" : knowsSomebodyInReach ? "none_left" : "none_in_radius"
    return List(entries: best, shortfall: shortfall)
  }

  private func words(_ candidate: PlainRegression.Candidate, _ model: PlainRegression) -> [String] {
    [
      candidate.businessField.map { "business_field=" + $0 } ?? "business_field",
      candidate.latitude.map { $0 < model.latitude.mean ? "latitude=south" : "latitude=north" } ?? "latitude",
      candidate.longitude.map { $0 < model.longitude.mean ? "longitude=west" : "longitude=east" }
        ?? "longitude",
    ]
  }

  /// Orders entries by score, then by distance, then by the mix, then by id. Adjacent scores within
  /// the tolerance count as equal.
  private func ordered(_ entries: [Entry], user: String) -> [Entry] {
    let descending = entries.sorted { ($0.score ?? 0) > ($1.score ?? 0) }
    var classes: [Int] = []
    for (index, entry) in descending.enumerated() {
      let isTie = index > 0 && (descending[index - 1].score ?? 0) - (entry.score ?? 0) <= Self.tieTolerance
      classes.append((classes.last ?? 0) + (isTie ? 0 : 1))
    }
    let keys = descending.map { PlainMix.mix(user: user, candidate: $0.candidate, seed: seed) }
    let order = descending.indices.sorted { left, right in
      if classes[left] != classes[right] { return classes[left] < classes[right] }
      if descending[left].kilometers != descending[right].kilometers {
        return descending[left].kilometers < descending[right].kilometers
      }
      if keys[left] != keys[right] { return keys[left] < keys[right] }
      return descending[left].candidate.utf8.lexicographicallyPrecedes(descending[right].candidate.utf8)
    }
    return order.prefix(top).map { descending[$0] }
  }

  /// Returns the pairs whose latest swipes on each other are likes. The time of a match is the
  /// later of the two times since which the likes were not interrupted by a pass.
  func matches() -> [Match] {
    var since: [String: [String: Int64]] = [:]
    for (user, swipes) in swipesByUser {
      for swipe in swipes {
        let start = since[user]?[swipe.candidate]
        since[user, default: [:]][swipe.candidate] = swipe.isLike ? start ?? swipe.at : nil
      }
    }
    return ids.flatMap { user in
      since[user, default: [:]].compactMap { other, start -> Match? in
        guard user.utf8.lexicographicallyPrecedes(other.utf8), let back = since[other]?[user] else {
          return nil
        }
        return Match(first: user, second: other, since: max(start, back))
      }
    }.sorted()
  }
}

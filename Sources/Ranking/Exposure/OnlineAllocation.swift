internal import Foundation
internal import PipelineFile
internal import Search

/// A first choice of all lists, which gives each list a varied pool and each candidate a price.
///
/// Users come in random order, in batches. Each list takes the candidates with the greatest differences of value and
/// price. The price of a candidate rises while more lists want the candidate than the limits allow for such a
/// batch, and falls otherwise. A candidate at the ceiling is not found any more. Therefore, later lists get other
/// candidates even if all users agree on who is best.
///
/// Source: dual mirror descent, S. Balseiro, H. Lu and V. Mirrokni, "Dual Mirror Descent for Online Allocation
/// Problems", ICML 2020.
struct OnlineAllocation {
  /// The price of each candidate: positive if more lists want the candidate than the ceiling allows, negative if the
  /// candidate is on fewer lists than the floor requires.
  var prices: [Double] { zip(ceilingPrices, floorPrices).map(+) }

  private let limits: Pipeline.ExposureLimits
  private let top: Int
  /// Whether the rules for candidates let each candidate be on lists.
  private let isListable: [Bool]
  /// The number of lists that the ceiling of a candidate allows, approximately.
  private let most: Int
  /// The typical difference between the first and the last value of a list.
  let scale: Double
  private var ceilingPrices: [Double]
  private var floorPrices: [Double]
  /// The exposure that each candidate's ceiling still allows, in lists or in likes.
  private var room: [Double]
  /// The number of lists of each candidate.
  private var shown: [Int]
  /// The candidates chosen for a list with empty places, by the number of the list.
  private var unfilled: [Int: Set<Int>] = [:]
  /// Whether each list is full.
  private var isFilled: [Bool]

  /// The least number of users in a batch. Each batch takes time for all candidates.
  private static let leastBatch = 16
  /// The greatest size of a batch is this share of all users, unless a batch has a single user.
  private static let greatestShare = 1.0 / 32
  /// By the time that all users had a turn, the price of a candidate who stays below the floor has fallen by
  /// this many times `scale` for each list that the floor requires.
  private static let floorSteps = 16.0
  /// Users whose lists cannot be filled take another turn, as long as there are at most this many turns per user.
  private static let turns = 4
  /// The size of a step of the prices, as a share of `scale`.
  private static let stepSize = 0.2

  /// - Parameters:
  ///   - limits: The limits on exposure.
  ///   - top: The greatest length of a list.
  ///   - isListable: Whether the rules for candidates let each candidate be on lists.
  ///   - pools: The best candidates of each list.
  init(_ limits: Pipeline.ExposureLimits, top: Int, isListable: [Bool], _ pools: ListPools) {
    (self.limits, self.top, self.isListable) = (limits, top, isListable)
    let lists = max(pools.pools.count, 1)
    var allowed = Double.infinity
    switch limits.ceiling {
    case .lists(let lists): allowed = Double(lists)
    case .likes(let likes): allowed = likes
    case nil: break
    }
    room = [Double](repeating: allowed, count: isListable.count)
    if case .likes(let likes) = limits.ceiling {
      // The typical chance is about a half.
      most = min(lists, max(1, Int(2 * likes)))
    } else {
      most = allowed < Double(lists) ? Int(allowed) : lists
    }
    var wanted = [Int](repeating: 0, count: isListable.count)
    var (sum, count) = (0.0, 0)
    for pool in pools.pools {
      for entry in pool.entries { wanted[entry.found.candidate] += 1 }
      if let first = pool.entries.first, let last = pool.entries.last {
        sum += first.value - last.value
        count += 1
      }
    }
    let scale = sum > 0 ? sum / Double(count) : 1e-3
    self.scale = scale
    ceilingPrices = wanted.map { [most] in
      0.5 * scale * log2(max(1, Double($0) / Double(most)))
    }
    floorPrices = [Double](repeating: 0, count: isListable.count)
    shown = [Int](repeating: 0, count: isListable.count)
    isFilled = [Bool](repeating: false, count: pools.pools.count)
  }

  /// Chooses all lists, and adds the candidates that lists want to their pools.
  ///
  /// - Parameters:
  ///   - pools: The pools.
  ///   - order: The indices of the users in random order.
  mutating func run(_ pools: inout ListPools, order: [Int]) {
    let wanted = 2 * top
    let users = Double(order.count)
    let greatest = max(1, Int(users * Self.greatestShare))
    let least = min(Self.leastBatch, greatest)
    var size = max(least, greatest / 8)
    var turns = order
    var place = 0
    while place < turns.count {
      let batch = turns[place..<min(place + size, turns.count)]
      let priced = zip(prices, room).map { $1 > 0 ? $0 : .infinity }
      let found = pools.priced(batch, top: wanted, priced)
      var load = [Int](repeating: 0, count: room.count)
      var short: [Int] = []
      for (user, lists) in zip(batch, found) {
        var isShort = false
        for (number, entries) in zip(pools.users[user].lists, lists) where !isFilled[number] {
          choose(from: entries, number, &load)
          if !isFilled[number], entries.count >= wanted { isShort = true }
          for entry in entries where !pools.pools[number].contains(entry.found.candidate) {
            pools.add(entry, to: number)
          }
        }
        if isShort { short.append(user) }
      }
      place = batch.endIndex
      movePrices(load, share: Double(batch.count) / users, progress: min(1, Double(place) / users))
      // If users of one batch want the same candidates, fewer users may ask at once.
      if short.count > batch.count / 4 { size = max(least, size / 2) }
      if short.count < batch.count / 16 { size = min(greatest, size * 2) }
      if turns.count < Self.turns * order.count { turns += short }
    }
  }

  /// Gives the list with the number `list` the first of `entries` with room. `load` counts the lists that want
  /// each candidate.
  private mutating func choose(from entries: [PoolEntry], _ list: Int, _ load: inout [Int]) {
    for entry in entries.prefix(top) { load[entry.found.candidate] += 1 }
    var chosen = unfilled[list] ?? []
    for entry in entries where chosen.count < top {
      let candidate = entry.found.candidate
      guard room[candidate] > 0, chosen.insert(candidate).inserted else { continue }
      if case .likes = limits.ceiling {
        room[candidate] -= Double(entry.chance)
      } else {
        room[candidate] -= 1
      }
      shown[candidate] += 1
    }
    isFilled[list] = chosen.count >= top
    unfilled[list] = isFilled[list] ? nil : chosen
  }

  /// Moves the prices after a batch. `load` is the number of its lists that want each candidate, `share` the size
  /// of the batch as a share of all users, and `progress` the share of users that had their turn.
  private mutating func movePrices(_ load: [Int], share: Double, progress: Double) {
    let target = Double(most) * share
    let step = Self.stepSize * scale / (1 + 4 * progress).squareRoot()
    let floor = Double(limits.least) * progress
    for candidate in load.indices {
      let load = Double(load[candidate])
      let excess =
        target > 1
        ? max(-2, min(2, log2((load + 1) / (target + 1)))) : min(4, (load - target) / (target + 1))
      ceilingPrices[candidate] = max(0, ceilingPrices[candidate] + step * excess)
      if limits.least > 0, isListable[candidate], Double(shown[candidate]) < floor {
        floorPrices[candidate] -= Self.floorSteps * scale * share * Double(limits.least)
      } else {
        floorPrices[candidate] /= 2
      }
    }
  }
}

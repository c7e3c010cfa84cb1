import Concurrency
import Testing

@testable import Ranking

/// The choice of entries for many lists at once, against slow exact solvers.
@Suite struct ListAssignmentTests {
  /// A random world: the pools of lists, and the limits of candidates.
  struct World {
    var pools = AssignmentEntries()
    let candidates: Int
    let top: Int
    var most: [Int] = []
    var least: [Int] = []

    init(seed: UInt64, lists: Int, candidates: Int, top: Int, share: Double = 0.7, floors: Bool = true) {
      var random = SplitMix64(seed: seed)
      self.candidates = candidates
      self.top = top
      for _ in 0..<candidates {
        most.append(Int.random(in: 1...max(2, lists / 2), using: &random))
        least.append(floors ? Int.random(in: 0...min(2, most[most.count - 1]), using: &random) : 0)
      }
      let quality = (0..<candidates).map { _ in random.nextUnit() }
      for _ in 0..<lists {
        for candidate in 0..<candidates where random.nextUnit() < share {
          pools.candidates.append(UInt32(candidate))
          // Few different values, so that ties are common; some are negative.
          let value = (quality[candidate] + random.nextUnit() - 0.8) * 10
          pools.values.append(value.rounded() / 10)
        }
        pools.firsts.append(pools.candidates.count)
      }
    }

    var assignment: ListAssignment {
      ListAssignment(pools, candidates: candidates, top: top, most: most, least: least)
    }
  }

  /// The number of filled places, the number of used places below the floors, and the value.
  struct Quality: Equatable {
    var filled: Int
    var floors: Int
    var value: Double
  }

  /// The best choice by trying everything: for each number of lists that each candidate can have, the highest
  /// value.
  private func best(_ world: World) -> Quality {
    var values: [[Int]: Double] = [[Int](repeating: 0, count: world.candidates): 0]
    for list in 0..<world.pools.listCount {
      let range = world.pools.range(list)
      var next: [[Int]: Double] = [:]
      for chosen in 0..<1 << range.count where chosen.nonzeroBitCount <= world.top {
        let entries = range.filter { chosen >> ($0 - range.lowerBound) & 1 == 1 }
        let value = entries.reduce(0) { $0 + world.pools.values[$1] }
        for (before, sum) in values {
          var counts = before
          for entry in entries { counts[Int(world.pools.candidates[entry])] += 1 }
          if zip(counts, world.most).contains(where: >) { continue }
          next[counts] = max(next[counts] ?? -.infinity, sum + value)
        }
      }
      values = next
    }
    func floors(_ counts: [Int]) -> Int { zip(counts, world.least).reduce(0) { $0 + min($1.0, $1.1) } }
    let filled = values.keys.map { $0.reduce(0, +) }.max() ?? 0
    let used = values.keys.map(floors).max() ?? 0
    // The most places and the most used floors are possible together.
    let value = values.filter { $0.key.reduce(0, +) == filled && floors($0.key) == used }.map(\.value).max()
    return Quality(filled: filled, floors: used, value: value ?? -.infinity)
  }

  private func quality(_ assignment: ListAssignment, _ world: World) -> Quality {
    var counts = [Int](repeating: 0, count: world.candidates)
    var value = 0.0
    for (entry, candidate) in world.pools.candidates.enumerated() where assignment.isChosen[entry] {
      counts[Int(candidate)] += 1
      value += world.pools.values[entry]
    }
    for list in 0..<world.pools.listCount {
      let length = world.pools.range(list).count { assignment.isChosen[$0] }
      #expect(length == assignment.lengths[list] && length <= world.top)
    }
    #expect(counts == assignment.appearances)
    #expect(zip(counts, world.most).allSatisfy(<=))
    #expect(abs(value - assignment.total) < 1e-9)
    return Quality(
      filled: counts.reduce(0, +), floors: zip(counts, world.least).reduce(0) { $0 + min($1.0, $1.1) },
      value: value)
  }

  @Test(arguments: 0..<200)
  func `the best of all choices is found`(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed) + 900)
    let world = World(
      seed: UInt64(seed), lists: Int.random(in: 1...5, using: &random),
      candidates: Int.random(in: 1...5, using: &random), top: Int.random(in: 1...3, using: &random))
    let (found, best) = (quality(world.assignment, world), best(world))
    #expect(found.filled == best.filled)
    #expect(found.floors == best.floors)
    // Values are rounded to steps of a 65 536th of their range.
    #expect(abs(found.value - best.value) < 0.001, "\(seed): \(found) \(best)")
  }

  @Test(arguments: [
    (60, 60, 10, 0.6), (60, 25, 5, 0.9), (30, 100, 10, 0.3), (100, 100, 3, 0.2), (40, 40, 40, 1),
  ])
  func `the value is within the tolerance of the highest, as its bound says`(
    lists: Int, candidates: Int, top: Int, share: Double
  ) {
    for seed in 0..<4 as Range<UInt64> {
      let world = World(seed: seed + 50, lists: lists, candidates: candidates, top: top, share: share)
      let assignment = world.assignment
      let (found, best) = (quality(assignment, world), ExactAssignment(world).best)
      #expect(found.filled == best.filled && found.floors == best.floors)
      #expect(found.value <= best.value + 1e-6)
      #expect(best.value - found.value <= assignment.gap + 0.01)
      #expect(assignment.gap <= 0.001 * abs(best.value) + 0.05, "\(assignment.gap) \(best.value)")
    }
  }

  @Test func `a price says how much other lists lose by a place`() throws {
    // Two lists want the first candidate, who may be on one list. The second list has an alternative.
    var world = World(seed: 0, lists: 0, candidates: 3, top: 1)
    world.pools.candidates = [0, 1, 0, 2]
    world.pools.values = [1, 0, 0.9, 0.4]
    world.pools.firsts = [0, 2, 4]
    (world.most, world.least) = ([1, 2, 2], [0, 0, 0])
    let assignment = world.assignment
    #expect(assignment.isChosen == [true, false, false, true])
    // With a second place, the second list would gain 0.9 - 0.4.
    // At a price of more than 1, the first list would prefer its other candidate.
    #expect(assignment.prices[0] >= 0.49 && assignment.prices[0] <= 1.01)
    #expect(abs(assignment.prices[1]) < 0.001 && abs(assignment.prices[2]) < 0.001)
  }

  /// Ratings and other values far from 0 have the same prices as values around 0.
  @Test(arguments: [0, 50, -50] as [Double], 0..<10 as Range<UInt64>)
  func `without floors, a search keeps the differences of all prices`(offset: Double, seed: UInt64) {
    var world = World(seed: seed + 20, lists: 40, candidates: 20, top: 4, floors: false)
    for entry in world.pools.values.indices { world.pools.values[entry] += offset }
    world.most = world.most.map { min($0, 9) }
    let assignment = ListAssignment(
      world.pools, candidates: 20, top: 4, most: world.most, least: world.least, isDecisive: false)
    let prices = PricedChoice(assignment, []).prices
    let shifts = zip(assignment.prices, prices).map { $0 - $1 }
    #expect(assignment.prices.contains { $0 > 0 })
    #expect(shifts.allSatisfy { abs($0 - shifts[0]) < 1e-9 })
  }

  @Test func `a floor has a negative price`() {
    var world = World(seed: 0, lists: 0, candidates: 2, top: 1)
    world.pools.candidates = [0, 1, 0, 1]
    world.pools.values = [1, 0.2, 0.9, 0.5]
    world.pools.firsts = [0, 2, 4]
    (world.most, world.least) = ([2, 2], [0, 1])
    let assignment = world.assignment
    #expect(assignment.isChosen == [true, false, false, true])
    #expect(assignment.prices[1] < assignment.prices[0] - 0.39)
  }

  /// Candidates 0 and 1 are worth the same for the first list, which has one place.
  @Test func `of equal entries, the first is chosen`() {
    for most in [1, 2] {
      var world = World(seed: 0, lists: 0, candidates: 3, top: 1)
      world.pools.candidates = [1, 0, 2, 1, 0, 2]
      world.pools.values = [0.5, 0.5, 0.1, 0.5, 0.5, 0.5]
      world.pools.firsts = [0, 3, 6]
      (world.most, world.least) = ([most, most, most], [0, 0, 0])
      let expected =
        most == 1 ? [true, false, false, false, true, false] : [true, false, false, true, false, false]
      #expect(world.assignment.isChosen == expected)
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `without limits that matter, each list has its first entries`(seed: UInt64) {
    var world = World(seed: seed, lists: 40, candidates: 40, top: 6, floors: false)
    world.most = Array(repeating: 40, count: 40)
    for list in 0..<40 {
      let range = world.pools.range(list)
      world.pools.values[range] = ArraySlice(world.pools.values[range].sorted(by: >))
    }
    let assignment = world.assignment
    for list in 0..<40 {
      let range = world.pools.range(list)
      #expect(range.map { assignment.isChosen[$0] } == range.indices.map { $0 - range.lowerBound < 6 })
    }
  }

  @Test func `nothing to choose from gives empty lists`() {
    var world = World(seed: 0, lists: 0, candidates: 0, top: 3)
    #expect(world.assignment.isChosen.isEmpty)
    world.pools.firsts = [0, 0, 0]
    #expect(world.assignment.lengths == [0, 0])
  }
}

/// The best choice by shortest augmenting paths: each path adds one unit of flow at the least cost.
private struct ExactAssignment {
  private var arcs: [(tail: Int, head: Int, rest: Int, cost: Double)] = []
  private let world: ListAssignmentTests.World

  init(_ world: ListAssignmentTests.World) {
    self.world = world
    let (lists, end) = (world.pools.listCount, world.pools.listCount + world.candidates)
    func add(_ tail: Int, _ head: Int, _ capacity: Int, _ cost: Double) {
      arcs.append((tail, head, capacity, cost))
      arcs.append((head, tail, 0, -cost))
    }
    for list in 0..<lists {
      for entry in world.pools.range(list) {
        add(list, lists + Int(world.pools.candidates[entry]), 1, -world.pools.values[entry])
      }
      add(end + 1, list, world.top, 0)
    }
    for candidate in 0..<world.candidates {
      // A used place below the floor is worth more than all values together.
      add(lists + candidate, end, world.least[candidate], -1e6)
      add(lists + candidate, end, world.most[candidate] - world.least[candidate], 0)
    }
    while augment(from: end + 1, to: end) {}
  }

  /// Sends one unit along the cheapest path; `false` if there is none.
  private mutating func augment(from start: Int, to end: Int) -> Bool {
    var costs = [Double](repeating: .infinity, count: start + 1)
    var arrivals = [Int](repeating: -1, count: start + 1)
    costs[start] = 0
    var changes = true
    while changes {
      changes = false
      for (number, arc) in arcs.enumerated()
      where arc.rest > 0 && costs[arc.tail] + arc.cost < costs[arc.head] - 1e-9 {
        costs[arc.head] = costs[arc.tail] + arc.cost
        arrivals[arc.head] = number
        changes = true
      }
    }
    guard costs[end] < .infinity else { return false }
    var node = end
    while node != start {
      arcs[arrivals[node]].rest -= 1
      arcs[arrivals[node] ^ 1].rest += 1
      node = arcs[arrivals[node]].tail
    }
    return true
  }

  var best: ListAssignmentTests.Quality {
    var quality = ListAssignmentTests.Quality(filled: 0, floors: 0, value: 0)
    let (lists, end) = (world.pools.listCount, world.pools.listCount + world.candidates)
    for number in stride(from: 0, to: arcs.count, by: 2) {
      let (arc, flow) = (arcs[number], arcs[number + 1].rest)
      if arc.tail < lists {
        quality.filled += flow
        quality.value -= Double(flow) * arc.cost
      }
      if arc.head == end, arc.cost < 0 { quality.floors += flow }
    }
    return quality
  }
}

/// A network of arcs with capacities and costs, for a flow of least cost.
///
/// The flow is found by cost scaling (A. V. Goldberg, "An Efficient Implementation of a Scaling Minimum-Cost
/// Flow Algorithm", Journal of Algorithms 22, 1997): nodes have prices, and each round makes the flow optimal
/// up to a smaller step of the prices.
struct FlowNetwork {
  /// An arc with its remaining capacity. Each arc has a reverse arc, which takes flow back.
  private struct Arc {
    var head: UInt32
    var reverse: UInt32
    var rest: Int32
    var cost: Int64
  }

  /// An arc to add: the numbers of its nodes, its capacity and the cost of one unit.
  struct NewArc {
    var tail: Int
    var head: Int
    var capacity: Int
    var cost: Int64
  }

  private let nodeCount: Int
  /// All arcs, grouped by their tails.
  private var arcs: [Arc]
  /// The index of each node's first arc, followed by the number of arcs.
  private let firsts: [Int]
  /// The index in `arcs` of each added arc.
  private let places: [UInt32]
  private var prices: [Int64]
  /// The flow that arrives at each node and does not leave it.
  private var excess: [Int64]

  /// - Parameters:
  ///   - supplies: The flow that starts at each node; negative at nodes where flow ends. The sum is 0.
  ///   - added: The arcs. A flow that satisfies all supplies must exist.
  init(supplies: [Int64], _ added: [NewArc]) {
    nodeCount = supplies.count
    excess = supplies
    prices = [Int64](repeating: 0, count: nodeCount)
    var next = [Int](repeating: 0, count: nodeCount + 1)
    for arc in added {
      next[arc.tail + 1] += 1
      next[arc.head + 1] += 1
    }
    for node in 0..<nodeCount { next[node + 1] += next[node] }
    firsts = next
    var arcs = [Arc](repeating: Arc(head: 0, reverse: 0, rest: 0, cost: 0), count: 2 * added.count)
    places = added.map { arc in
      let (place, reverse) = (next[arc.tail], next[arc.head])
      next[arc.tail] += 1
      next[arc.head] += 1
      arcs[place] = Arc(
        head: UInt32(arc.head), reverse: UInt32(reverse), rest: Int32(arc.capacity), cost: arc.cost)
      arcs[reverse] = Arc(head: UInt32(arc.tail), reverse: UInt32(place), rest: 0, cost: -arc.cost)
      return UInt32(place)
    }
    self.arcs = arcs
  }

  /// The flow on the added arc with the number `index`.
  func flow(_ index: Int) -> Int { Int(arcs[Int(arcs[Int(places[index])].reverse)].rest) }

  /// What a unit of flow costs from `node` to `end`, at most and at least up to the last step of the prices.
  func cost(from node: Int, to end: Int) -> Int64 { prices[end] - prices[node] }

  /// An upper bound of the difference between the cost of this flow and the least cost.
  ///
  /// The bound is the difference to the dual solution that the prices are.
  private var gap: Double {
    var gap = 0.0
    for node in 0..<nodeCount {
      for arc in arcs[firsts[node]..<firsts[node + 1]] where arc.rest > 0 {
        let reduced = arc.cost + prices[node] - prices[Int(arc.head)]
        if reduced < 0 { gap += Double(-reduced) * Double(arc.rest) }
      }
    }
    return gap
  }

  /// Finds a flow whose cost exceeds the least cost by at most `tolerance`, or as little as whole numbers of
  /// the costs permit. The flow depends only on the arcs, their order, and the prices to start from.
  ///
  /// - Parameters:
  ///   - tolerance: The permitted difference from the least cost.
  ///   - start: The prices of all nodes to start from, and their typical error; `nil` if they are unknown. Good
  ///     prices save time.
  /// - Returns: An upper bound of the difference between the cost of this flow and the least cost.
  @discardableResult
  mutating func solve(tolerance: Double, from start: (prices: [Int64], error: Int64)? = nil) -> Double {
    // A smaller divisor needs more rounds, and a greater one more work in each of them.
    let divisor: Int64 = 8
    var step = max(1, arcs.reduce(0) { max($0, abs($1.cost)) })
    if let start { (prices, step) = (start.prices, max(1, min(step, start.error))) }
    while true {
      improve(step)
      let gap = gap
      if step == 1 || gap <= tolerance { return gap }
      step = max(1, step / divisor)
    }
  }

  /// Makes the flow optimal up to `step`: no arc with remaining capacity has a reduced cost below `-step`.
  private mutating func improve(_ step: Int64) {
    saturateCheapArcs()
    var current = Array(firsts.dropLast())
    var queue = (0..<nodeCount).filter { excess[$0] > 0 }
    var isQueued = excess.map { $0 > 0 }
    var place = 0
    while place < queue.count {
      let node = queue[place]
      place += 1
      isQueued[node] = false
      if place > 1 << 20 {
        queue.removeFirst(place)
        place = 0
      }
      while excess[node] > 0 {
        push(from: node, &current[node], &queue, &isQueued)
        if excess[node] > 0 {
          lowerPrice(of: node, step)
          current[node] = firsts[node]
        }
      }
    }
  }

  /// Fills every arc with a negative reduced cost.
  private mutating func saturateCheapArcs() {
    for node in 0..<nodeCount {
      for index in firsts[node]..<firsts[node + 1] where arcs[index].rest > 0 {
        if isCheap(index, from: node) { push(Int64(arcs[index].rest), index, from: node) }
      }
    }
  }

  private func isCheap(_ index: Int, from node: Int) -> Bool {
    arcs[index].cost + prices[node] - prices[Int(arcs[index].head)] < 0
  }

  private mutating func push(_ amount: Int64, _ index: Int, from node: Int) {
    arcs[index].rest -= Int32(amount)
    arcs[Int(arcs[index].reverse)].rest += Int32(amount)
    excess[node] -= amount
    excess[Int(arcs[index].head)] += amount
  }

  /// Pushes the excess of `node` over arcs with a negative reduced cost, from the arc `current` on.
  private mutating func push(
    from node: Int, _ current: inout Int, _ queue: inout [Int], _ isQueued: inout [Bool]
  ) {
    while current < firsts[node + 1] {
      if arcs[current].rest > 0, isCheap(current, from: node) {
        push(min(excess[node], Int64(arcs[current].rest)), current, from: node)
        let head = Int(arcs[current].head)
        if excess[head] > 0, !isQueued[head] {
          isQueued[head] = true
          queue.append(head)
        }
        if excess[node] == 0 { return }
      }
      current += 1
    }
  }

  /// Lowers the price of `node` until its cheapest arc has the reduced cost `-step`.
  private mutating func lowerPrice(of node: Int, _ step: Int64) {
    var best = Int64.min
    for arc in arcs[firsts[node]..<firsts[node + 1]] where arc.rest > 0 {
      best = max(best, prices[Int(arc.head)] - arc.cost)
    }
    precondition(best > .min, "the supply of node \(node) has no way to an end")
    prices[node] = best - step
  }
}

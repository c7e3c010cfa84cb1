internal import Features
internal import Geohash
internal import Tables

/// The buffers of a search, to be kept from one user to the next, and from one ranking to another. One per worker.
package struct SearchWorkspace: ~Copyable {
  /// Nodes and blocks that may still hold somebody, a heap with the most promising one in front.
  var frontier = Frontier()
  /// Of the children of a node: squared chords and bounds.
  var childChords = [Float](repeating: 0, count: SearchedNodes.fanOut)
  var childGreatestChords = [Float](repeating: 0, count: SearchedNodes.fanOut)
  var childScores = [Float](repeating: 0, count: SearchedNodes.fanOut)
  /// Of the candidates of a block.
  var chords = [Float](repeating: 0, count: SearchedCandidates.blockSize)
  var scores = [Float](repeating: 0, count: SearchedCandidates.blockSize)
  var exclusions = ExclusionSet()
  /// The user's model.
  var model = ColumnModel()
  var score = UserScore()
  /// The candidates in reach of the last origin: people are snapped to cells, and neighbours often share one.
  /// `owner` is whose: other candidates, flags or radii give other counts.
  var lastReach: (owner: ReachCounts.Identity, origin: Coordinate, counts: SearchCounts)?
  /// What was looked at, for measurements.
  package var nodesOpened = 0
  package var candidatesBounded = 0
  package var candidatesScored = 0

  package init() {}
}

/// A heap of nodes and blocks: first the one with the highest bound, among equal ones the nearest.
struct Frontier {
  struct Entry {
    var bound: Float
    /// Kilometres that everybody in it is away at least; infinite where distances are unknown.
    var nearest: Float
    var reference: CandidateTree.Reference

    @inline(__always)
    func precedes(_ other: Entry) -> Bool {
      bound != other.bound ? bound > other.bound : nearest < other.nearest
    }
  }

  private var entries: [Entry] = []

  mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
  }

  mutating func insert(_ entry: Entry) {
    entries.append(entry)
    var heap = entries.mutableSpan
    var place = heap.count - 1
    while place > 0 {
      let parent = (place - 1) / 2
      guard entry.precedes(heap[parent]) else { break }
      heap[place] = heap[parent]
      place = parent
    }
    heap[place] = entry
  }

  mutating func popFirst() -> Entry? {
    guard let last = entries.popLast() else { return nil }
    if entries.isEmpty { return last }
    var heap = entries.mutableSpan
    let first = heap[0]
    var place = 0
    while 2 * place + 1 < heap.count {
      var child = 2 * place + 1
      if child + 1 < heap.count, heap[child + 1].precedes(heap[child]) { child += 1 }
      guard heap[child].precedes(last) else { break }
      heap[place] = heap[child]
      place = child
    }
    heap[place] = last
    return first
  }
}

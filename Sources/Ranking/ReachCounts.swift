internal import Features
internal import Geohash

/// How many candidates are within a radius, by the first flag that excludes them, without looking at each.
///
/// Nodes that lie inside the circle as a whole are counted by their size; only blocks that the circle cuts are looked
/// into.
struct ReachCounts: Sendable {
  /// Tells what counts are of, in a workspace that others use as well.
  final class Identity: Sendable {}
  let identity = Identity()

  private let tree: SearchTree
  private let radius: Double
  private let beyond: Float
  private let within: Float
  /// By place: the class of the candidate: 0, or one more than the index of the exclusion by a flag.
  private let classes: [UInt16]
  /// By class: how many of it stand before each block. Nothing for classes without anybody.
  private let before: [(kind: Int, counts: [UInt32])]

  /// - Parameters:
  ///   - flags: By row: the index of the first exclusion by a flag, or `nil`.
  ///   - positions: By row.
  ///   - radius: Kilometres, inclusive.
  ///   - threads: Workers to grow the tree.
  init(flags: [Int?], positions: Positions, radiusInKilometers radius: Double, threads: Int) {
    let rows = flags.indices.filter { positions[$0] != nil }.map { UInt32($0) }
    tree = SearchTree(
      rows,
      dimensions: TreeDimension.all(positions, radiusInKilometers: radius, space: nil, table: nil),
      space: .empty(candidates: positions, users: positions), positions: positions, threads: threads)
    self.radius = radius
    let chord = ChordRadius(radiusInKilometers: radius)
    beyond = ChordFloats.surelyBeyond(chord)
    within = ChordFloats.surelyWithin(chord)
    let size = SearchedCandidates.blockSize
    let nobody = UInt16.max
    let classes = tree.tree.rows.map { row in
      row == SearchedCandidates.nobody ? nobody : flags[Int(row)].map { UInt16($0 + 1) } ?? 0
    }
    self.classes = classes
    before = Set(classes).subtracting([nobody]).sorted().map { kind in
      var count: UInt32 = 0
      var counts: [UInt32] = [0]
      for block in 0..<classes.count / size {
        for place in block * size..<(block + 1) * size where classes[place] == kind { count += 1 }
        counts.append(count)
      }
      return (Int(kind), counts)
    }
  }

  /// Adds those within the radius of `origin` to `counts`: all to `inReach`, the flagged ones to `excluded`.
  func add(
    around origin: DistanceOrigin, to counts: inout SearchCounts, using workspace: inout SearchWorkspace
  ) {
    guard let root = tree.tree.root else { return }
    add(root, origin, FloatVector(UnitVector(origin.coordinate)), &counts, &workspace)
  }

  private func add(
    _ reference: CandidateTree.Reference, _ origin: DistanceOrigin, _ center: FloatVector,
    _ counts: inout SearchCounts, _ workspace: inout SearchWorkspace
  ) {
    if let block = reference.block { return addBlock(block, origin, center, &counts, &workspace) }
    let node = tree.tree.nodes[reference.node]
    var undecided = reach(reference.node, center, &workspace)
    for child in 0..<node.children.count {
      let reference = tree.tree.children[node.children.lowerBound + child]
      switch undecided & 3 {
      case 0: break
      case 1: addAll(of: reference, &counts)
      default: add(reference, origin, center, &counts, &workspace)
      }
      undecided >>= 2
    }
  }

  /// Which children of a node lie within the radius as a whole (1), in part (2) or not at all (0): two bits each.
  private func reach(_ node: Int, _ center: FloatVector, _ workspace: inout SearchWorkspace) -> UInt32 {
    tree.nodes.writeChords(
      node, center: center, least: &workspace.childChords, greatest: &workspace.childGreatestChords)
    var bits: UInt32 = 0
    for child in 0..<SearchedNodes.fanOut {
      let kind: UInt32 =
        workspace.childChords[child] >= beyond ? 0 : workspace.childGreatestChords[child] <= within ? 1 : 2
      bits |= kind << UInt32(2 * child)
    }
    return bits
  }

  private func addAll(of reference: CandidateTree.Reference, _ counts: inout SearchCounts) {
    let blocks = reference.block.map { $0..<$0 + 1 } ?? tree.tree.nodes[reference.node].blocks
    for (kind, before) in before {
      let count = Int(before[blocks.upperBound] - before[blocks.lowerBound])
      counts.inReach += count
      if kind > 0 { counts.excluded[kind - 1] += count }
    }
  }

  private func addBlock(
    _ block: Int, _ origin: DistanceOrigin, _ center: FloatVector, _ counts: inout SearchCounts,
    _ workspace: inout SearchWorkspace
  ) {
    tree.candidates.writeChords(block, center: center, to: &workspace.chords)
    let places = tree.candidates.places(of: block)
    var lanes = BlockLanes.chosen(workspace.chords, within: beyond, count: places.count)
    while lanes != 0 {
      let lane = lanes.trailingZeroBitCount
      lanes &= lanes - 1
      let place = places.lowerBound + lane
      if workspace.chords[lane] > within,
        !(tree.candidates.distanceInKilometers(from: origin, to: place) <= radius)
      {
        continue
      }
      counts.inReach += 1
      let kind = Int(classes[place])
      if kind > 0 { counts.excluded[kind - 1] += 1 }
    }
  }
}

internal import Geohash

/// Counts the candidates within a radius, by the first flag or condition that excludes them, without visiting
/// each candidate.
///
/// A node that lies completely inside the circle is counted by its size. Only blocks that are partly inside
/// the circle are visited candidate by candidate.
final class ReachCounts: Sendable {
  private let search: TreeSearch
  private let radius: Double
  /// The squared chord above which a candidate is certainly beyond the radius.
  private let limit: Float
  /// The squared chord up to which a candidate is certainly within the radius; negative if this is not
  /// certain for any candidate.
  private let within: Float
  /// The class of the candidate at each place: 0 if no flag or condition excludes the candidate, else one
  /// more than the index of the first exclusion that applies. 65,535 for an empty place.
  private let classes: [UInt16]
  /// For each class with candidates, the number of its candidates before each block, followed by the number
  /// in all blocks.
  private let before: [(kind: Int, counts: [UInt32])]

  /// Prepares the counts by block.
  ///
  /// - Parameters:
  ///   - search: The search in a k-d tree that contains the counted candidates and splits on positions. Each
  ///     of these candidates has a position.
  ///   - flags: For each row, the index in the ranking's exclusions of the first flag or condition that
  ///     excludes the candidate; -1 if none does.
  ///   - radius: The radius in kilometers, inclusive.
  init(_ search: TreeSearch, flags: [Int16], radiusInKilometers radius: Double) {
    self.search = search
    self.radius = radius
    let chord = ChordRadius(radiusInKilometers: radius)
    limit = ChordFloats.surelyBeyond(chord).nextDown
    within = ChordFloats.surelyWithin(chord)
    let size = SearchedCandidates.blockSize
    let noClass = UInt16.max
    let classes = search.tree.tree.rows.map { row in
      row == SearchedCandidates.noRow ? noClass : UInt16(flags[Int(row)] + 1)
    }
    self.classes = classes
    before = Set(classes).subtracting([noClass]).sorted().map { kind in
      var count: UInt32 = 0
      var counts: [UInt32] = [0]
      for block in 0..<classes.count / size {
        for place in block * size..<(block + 1) * size where classes[place] == kind { count += 1 }
        counts.append(count)
      }
      return (Int(kind), counts)
    }
  }

  /// Adds the candidates within the radius of `origin` to `counts`. All of them count for `inReach`.
  /// Candidates that a flag or condition excludes also count for `excluded`.
  func add(around origin: DistanceOrigin, to counts: inout SearchCounts) {
    guard let root = search.tree.tree.root else { return }
    add(root, origin, FloatVector(UnitVector(origin.coordinate)), &counts)
  }

  private func add(
    _ reference: CandidateTree.Reference, _ origin: DistanceOrigin, _ center: FloatVector,
    _ counts: inout SearchCounts
  ) {
    if let block = reference.block { return addBlock(block, origin, center, &counts) }
    let children = search.tree.tree.nodes[reference.node].children
    let (least, greatest) = search.tree.nodes.squaredChords(reference.node, center: center)
    for child in 0..<children.count {
      let reference = search.tree.tree.children[children.lowerBound + child]
      if least[child] > limit { continue }
      if greatest[child] <= within {
        addAll(of: reference, &counts)
      } else {
        add(reference, origin, center, &counts)
      }
    }
  }

  private func addAll(of reference: CandidateTree.Reference, _ counts: inout SearchCounts) {
    let blocks = reference.block.map { $0..<$0 + 1 } ?? search.tree.tree.nodes[reference.node].blocks
    for (kind, before) in before {
      let count = Int(before[blocks.upperBound] - before[blocks.lowerBound])
      counts.inReach += count
      if kind > 0 { counts.excluded[kind - 1] += count }
    }
  }

  private func addBlock(
    _ block: Int, _ origin: DistanceOrigin, _ center: FloatVector, _ counts: inout SearchCounts
  ) {
    let bounds = search.tree.candidates.bounds(block, center: center)
    let places = search.tree.candidates.places(of: block)
    var lanes = bounds.chosen(notBelow: -.infinity, within: limit, count: places.count)
    while lanes != 0 {
      let lane = lanes.trailingZeroBitCount
      lanes &= lanes - 1
      let place = places.lowerBound + lane
      if bounds.squaredChord(lane) > within,
        !(search.tree.candidates.distanceInKilometers(from: origin, to: place) <= radius)
      {
        continue
      }
      counts.inReach += 1
      let kind = Int(classes[place])
      if kind > 0 { counts.excluded[kind - 1] += 1 }
    }
  }
}

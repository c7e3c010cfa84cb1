internal import Features
internal import Geohash

/// How many candidates are within a radius, by the first flag that excludes them, without looking at each.
///
/// Nodes that lie inside the circle as a whole are counted by their size; only blocks that the circle cuts are looked
/// into.
struct ReachCounts: Sendable {
  /// Tells what counts are of, in a workspace that others use as well.
  final class Owner: Sendable {}
  let owner = Owner()

  private let tree: CandidateTree
  private let positions: Positions
  private let radius: Double
  private let chord: ChordRadius
  /// By place: the class of the candidate: 0, or one more than the index of the exclusion by a flag.
  private let classes: [UInt16]
  /// By class from 1 on: how many of it stand before each place. Nothing for classes without anybody.
  private let before: [Int: [UInt32]]

  /// - Parameters:
  ///   - flags: By row: the index of the first exclusion by a flag, or `nil`.
  ///   - positions: By row.
  ///   - radius: Kilometres, inclusive.
  init(flags: [Int?], positions: Positions, radiusInKilometers radius: Double) {
    let rows = flags.indices.filter { positions[$0] != nil }
    tree = CandidateTree(rows, groups: nil, positions: positions, blockSize: 32, fanOut: 8)
    self.positions = positions
    self.radius = radius
    chord = ChordRadius(radiusInKilometers: radius)
    let classes = tree.rows.map { flags[$0].map { UInt16($0 + 1) } ?? 0 }
    self.classes = classes
    var before: [Int: [UInt32]] = [:]
    for kind in Set(classes) where kind > 0 {
      var count: UInt32 = 0
      before[Int(kind)] =
        [0]
        + classes.map { other in
          if other == kind { count += 1 }
          return count
        }
    }
    self.before = before
  }

  /// Adds those within the radius of `origin` to `counts`: all to `inReach`, the flagged ones to `excluded`.
  func add(around origin: DistanceOrigin, to counts: inout SearchCounts) {
    guard let root = tree.root else { return }
    let center = UnitVector(origin.coordinate)
    add(root, origin, center, &counts)
  }

  private func add(
    _ index: Int, _ origin: DistanceOrigin, _ center: UnitVector, _ counts: inout SearchCounts
  ) {
    let node = tree.nodes[index]
    if node.box.leastSquaredChord(to: center) >= chord.surelyBeyond { return }
    if node.box.mostSquaredChord(to: center) <= chord.surelyWithin {
      counts.inReach += node.places.count
      for (kind, before) in before {
        counts.excluded[kind - 1] += Int(before[node.places.upperBound] - before[node.places.lowerBound])
      }
    } else if node.isBlock {
      addBlock(node.places, origin, center, &counts)
    } else {
      for child in node.children { add(child, origin, center, &counts) }
    }
  }

  private func addBlock(
    _ places: Range<Int>, _ origin: DistanceOrigin, _ center: UnitVector, _ counts: inout SearchCounts
  ) {
    let (x, y, z) = (tree.x.span, tree.y.span, tree.z.span)
    for place in places {
      let squared = center.squaredChord(toX: x[place], y: y[place], z: z[place])
      if squared >= chord.surelyBeyond { continue }
      if squared > chord.surelyWithin,
        !(positions.distanceInKilometers(from: origin, to: tree.rows[place]) <= radius)
      {
        continue
      }
      counts.inReach += 1
      let kind = Int(classes[place])
      if kind > 0 { counts.excluded[kind - 1] += 1 }
    }
  }
}

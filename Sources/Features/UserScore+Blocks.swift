internal import Tables

/// Chooses lanes of a block.
package enum BlockLanes {
  /// The lanes, as bits, of those who are not certainly beyond a radius.
  package static func chosen(_ squaredChords: [Float], within beyond: Float, count: Int) -> UInt32 {
    let chords = squaredChords.span.extracting(first: SearchedCandidates.blockSize)
    var lanes: UInt32 = 0
    for lane in 0..<count where chords[lane] < beyond { lanes |= 1 << UInt32(lane) }
    return lanes
  }

  /// The lanes, as bits, of those whose bound is not below `threshold`, and who are not certainly beyond the radius.
  ///
  /// - Parameters:
  ///   - squaredChords: By lane; NaN where unknown, and then nobody is beyond the radius.
  ///   - scores: By lane: bounds.
  ///   - threshold: A bound that is not comparable is not below it.
  ///   - beyond: The squared chord from which on everybody is beyond the radius; infinite where there is none.
  ///   - count: Lanes that are taken.
  /// - Returns: The lanes; the first is the lowest bit.
  package static func chosen(
    _ squaredChords: [Float], _ scores: [Float], notBelow threshold: Float, within beyond: Float, count: Int
  ) -> UInt32 {
    let size = SearchedCandidates.blockSize
    let (scores, chords) = (scores.span.extracting(first: size), squaredChords.span.extracting(first: size))
    // Most blocks hold nobody. Sums of 0 and 1 run many lanes at a time; a loop that collects bits does not.
    var out: UInt32 = 0
    for lane in 0..<size { out &+= chords[lane] >= beyond || scores[lane] < threshold ? 1 : 0 }
    if out == size { return 0 }
    var lanes: UInt32 = 0
    for lane in 0..<count where !(chords[lane] >= beyond || scores[lane] < threshold) {
      lanes |= 1 << UInt32(lane)
    }
    return lanes
  }
}

extension SearchedCandidates {
  /// Writes the squares of the chords to the candidates of a block; NaN where unknown.
  package func writeChords(_ block: Int, center: FloatVector, to squaredChords: inout [Float]) {
    let size = Self.blockSize
    let values = rounded.span.extracting(block * roundedWidth * size..<(block * roundedWidth + 3) * size)
    let x = values.extracting(0..<size)
    let y = values.extracting(size..<2 * size)
    let z = values.extracting(2 * size..<3 * size)
    var chords = squaredChords.mutableSpan
    precondition(chords.count == size)
    for lane in 0..<size {
      let (dx, dy, dz) = (x[lane] - center.x, y[lane] - center.y, z[lane] - center.z)
      chords[lane] = dx * dx + dy * dy + dz * dz
    }
  }
}

extension UserScore {
  /// Writes, for each candidate of a block, its squared chord and at least its score.
  ///
  /// Where ranking spends its time. Feature by feature over spans of 32 in single precision, because such loops run
  /// four or eight candidates at a time; what rounding may take off is in the base. The distance, which takes longer
  /// than all the rest, is spared for those that might be listed.
  ///
  /// - Parameters:
  ///   - candidates: For whose layout the model was laid out.
  ///   - block: The block.
  ///   - center: Where the user is.
  ///   - squaredChords: Receives, by lane, the squares of the chords, NaN where unknown; of empty places nothing of
  ///     meaning, here and in `scores`.
  ///   - scores: Receives the bounds.
  package func writeBounds(
    _ candidates: SearchedCandidates, block: Int, center: FloatVector, squaredChords: inout [Float],
    scores: inout [Float]
  ) {
    let size = SearchedCandidates.blockSize
    let width = candidates.roundedWidth
    let values = candidates.rounded.span.extracting(block * width * size..<(block + 1) * width * size)
    let (parts, tables) = (parts.span, tables32.span)
    candidates.writeChords(block, center: center, to: &squaredChords)
    let chords = squaredChords.span
    var scores = scores.mutableSpan
    precondition(chords.count == size && scores.count == size)
    for lane in 0..<size { scores[lane] = base32 }
    for index in parts.indices {
      let part = parts[index]
      let (coefficient, mean, user) = (part.coefficient32, part.mean32, part.user32)
      switch part.kind {
      case .category, .same:
        addCodes(part, candidates, block: block, tables, to: &scores)
      case .distance:
        if coefficient < 0 {
          for lane in 0..<size {
            let least = ChordFloats.leastKilometers(squaredChord: chords[lane])
            scores[lane] += chords[lane].isNaN ? part.unknown32 : coefficient * (least - mean)
          }
        } else {
          for lane in 0..<size {
            let most = ChordFloats.mostKilometers(squaredChord: chords[lane])
            scores[lane] += chords[lane].isNaN ? part.unknown32 : coefficient * (most - mean)
          }
        }
      case .number, .difference, .absoluteDifference:
        let numbers = values.extracting((3 + part.slot) * size..<(4 + part.slot) * size)
        if part.kind == .absoluteDifference {
          for lane in 0..<size {
            let value = abs(numbers[lane] - user)
            scores[lane] += value.isNaN ? 0 : coefficient * (value - mean)
          }
        } else if part.hasMissing {
          for lane in 0..<size {
            let value = numbers[lane] - user
            scores[lane] += value.isNaN ? 0 : coefficient * (value - mean)
          }
        } else {
          for lane in 0..<size { scores[lane] += coefficient * (numbers[lane] - user - mean) }
        }
      case .overlap, .text:
        for place in candidates.places(of: block) {
          let row = Int(candidates.rows[place])
          scores[place - block * size] += Float(setOrText(part, candidates.space, row: row))
        }
      }
    }
  }

  private func addCodes(
    _ part: Part, _ candidates: SearchedCandidates, block: Int, _ tables: Span<Float>,
    to scores: inout MutableSpan<Float>
  ) {
    let width = candidates.layout.codeCount
    let size = SearchedCandidates.blockSize
    let one = candidates.blockCodes[block * width + part.slot]
    if one != SearchedCandidates.mixed {
      let contribution = contribution(part, code: one, tables)
      for lane in 0..<size { scores[lane] += contribution }
      return
    }
    let codes = candidates.codes.span.extracting(block * size * width..<(block + 1) * size * width)
    for lane in 0..<size {
      scores[lane] += contribution(part, code: codes[lane * width + part.slot], tables)
    }
  }

  @inline(__always)
  private func contribution(_ part: Part, code: UInt32, _ tables: Span<Float>) -> Float {
    if part.kind == .category {
      return code == CategoryColumn.missing ? Float(part.missing) : tables[part.table + Int(code)]
    }
    if code == CategoryColumn.missing { return 0 }
    return part.coefficient32 * ((code == part.code ? 1 : 0) - part.mean32)
  }
}

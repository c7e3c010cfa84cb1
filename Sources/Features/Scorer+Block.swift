internal import Geohash
internal import Tables

extension Scorer {
  /// Whether a score rises with the distance.
  package var prefersFar: Bool {
    parts.contains { if case .distance(let coefficient, _) = $0 { coefficient > 0 } else { false } }
  }

  /// Writes, for each of some candidates that stand side by side, at least their score: the score itself but for the
  /// distance, of which only the chord is known.
  ///
  /// The operations are those of `score(candidate:distance:)` in the same order, so what `ScoreBound` says of rounding
  /// holds here too. Feature by feature, because such loops run many candidates at a time: this is where ranking spends
  /// its time, and the distance, which takes longer than all the rest, is spared for those that might be listed.
  ///
  /// - Parameters:
  ///   - rows: Rows of the candidates.
  ///   - squaredChords: One per candidate; NaN where the distance is unknown.
  ///   - buffer: Receives one number per candidate; may be longer.
  package func writeUpperBounds(
    of rows: Range<Int>, squaredChords: [Double], into buffer: inout [Double]
  ) {
    let count = rows.count
    precondition(
      squaredChords.count >= count && buffer.count >= count, "the buffers are too short for \(count)")
    let chords = squaredChords.span
    var bounds = buffer.mutableSpan
    for place in 0..<count { bounds[place] = base }
    for index in parts.indices {
      switch parts[index] {
      case .category(let codes, let table, let missing):
        let (codes, table) = (codes.span.extracting(rows), table.span)
        for place in 0..<count {
          let code = codes[place]
          bounds[place] += code == CategoryColumn.missing ? missing : table[Int(code)]
        }
      case .number(let values, let coefficient, let mean):
        let values = values.span.extracting(rows)
        for place in 0..<count {
          let value = values[place]
          bounds[place] += value.isNaN ? 0 : coefficient * (value - mean)
        }
      case .distance(let coefficient, let mean):
        for place in 0..<count {
          let chord = chords[place]
          let distance =
            coefficient > 0
            ? ChordBounds.mostKilometers(squaredChord: chord)
            : ChordBounds.leastKilometers(squaredChord: chord)
          bounds[place] += chord.isNaN ? 0 : coefficient * (distance - mean)
        }
      case .difference(let values, let user, let isAbsolute, let coefficient, let mean):
        let values = values.span.extracting(rows)
        for place in 0..<count {
          let value = FeatureSpace.difference(user, values[place], isAbsolute)
          bounds[place] += value.isNaN ? 0 : coefficient * (value - mean)
        }
      case .same(let codes, let user, let coefficient, let mean):
        let codes = codes.span.extracting(rows)
        let (equal, other) = (coefficient * (1 - mean), coefficient * (0 - mean))
        for place in 0..<count {
          let code = codes[place]
          bounds[place] += code == CategoryColumn.missing ? 0 : code == user ? equal : other
        }
      case .overlap, .text:
        for place in 0..<count {
          bounds[place] += contribution(of: index, candidate: rows.lowerBound + place, distance: .nan)
        }
      case .nothing:
        break
      }
    }
  }
}

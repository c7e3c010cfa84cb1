internal import Columns
internal import Features

extension UserScore {
  /// Returns the squared chord of each candidate in a block, and an upper bound on the candidate's score.
  ///
  /// Ranking spends most of its time here. The loop adds feature by feature in single precision, eight
  /// candidates at a time. `base32` includes a margin for the rounding errors. Computing exact distances
  /// takes longer than all other steps, so they are computed later, and only for candidates that might be
  /// listed.
  ///
  /// - Parameters:
  ///   - candidates: The candidates for which the model was prepared.
  ///   - block: The block.
  ///   - center: The user's position.
  /// - Returns: The bounds by lane; undefined at empty places.
  package func bounds(_ candidates: borrowing SearchedCandidates, block: Int, center: FloatVector)
    -> BlockBounds
  {
    let quarters = SearchedCandidates.quarters
    let width = candidates.roundedWidth
    let values = candidates.rounded.span.extracting(block * width * quarters..<(block + 1) * width * quarters)
    let (parts, tables) = (parts.span, tables32.span)
    let chords = candidates.squaredChords(block, center: center)
    var scores = InlineArray<4, Lanes>(repeating: Lanes(repeating: base32))
    for index in parts.indices {
      let part = parts[index]
      let (coefficient, mean) = (part.coefficient32, part.mean32)
      switch part.form {
      case .code, .sameCode:
        addCodes(part, candidates, block: block, tables, to: &scores)
      case .distance:
        let unknown = Lanes(repeating: part.unknown32)
        for quarter in 0..<quarters {
          let squared = chords[quarter]
          let kilometers =
            coefficient < 0
            ? ChordFloats.leastKilometers(squaredChords: squared)
            : ChordFloats.mostKilometers(squaredChords: squared)
          let known = coefficient * (part.distanceValues(kilometers) - mean)
          scores[quarter] += Lanes.choose(squared.isNaN, unknown, known)
        }
      case .number, .difference, .absoluteDifference:
        let column = (3 + part.slot) * quarters
        for quarter in 0..<quarters {
          var value = values[column + quarter] - part.user32
          if part.form.isAbsoluteDifference { value = Lanes.greater(value, -value) }
          let contribution = coefficient * (value - mean)
          scores[quarter] +=
            part.hasMissing ? Lanes.choose(value.isNaN, Lanes.zero, contribution) : contribution
        }
      case .pair, .vector:
        for place in candidates.places(of: block) {
          let lane = place - block * SearchedCandidates.blockSize
          scores[lane / Lanes.scalarCount][lane % Lanes.scalarCount] +=
            Float(unkept(part, candidates, row: Int(candidates.rows[place])))
        }
      }
    }
    return BlockBounds(squaredChords: chords, scores: scores)
  }

  private func addCodes(
    _ part: ScoredFeature, _ candidates: borrowing SearchedCandidates, block: Int, _ tables: Span<Float>,
    to scores: inout InlineArray<4, Lanes>
  ) {
    let width = candidates.layout.codeCount
    let one = candidates.blockCodes[block * width + part.slot]
    if one != SearchedCandidates.mixed {
      let contribution = contribution(part, code: one, tables)
      for quarter in 0..<SearchedCandidates.quarters { scores[quarter] += contribution }
      return
    }
    let first = (block * width + part.slot) * SearchedCandidates.blockSize
    let codes = candidates.codes.span.extracting(first..<first + SearchedCandidates.blockSize)
    for quarter in 0..<SearchedCandidates.quarters {
      scores[quarter] += Lanes.each { lane in
        contribution(part, code: codes[quarter * Lanes.scalarCount + lane], tables)
      }
    }
  }

  @inline(__always)
  private func contribution(_ part: ScoredFeature, code: UInt32, _ tables: Span<Float>) -> Float {
    if part.form.isCode { return tables[part.table + Self.place(of: code)] }
    if code == CategoryColumn.missing { return 0 }
    return part.coefficient32 * ((code == part.code ? 1 : 0) - part.mean32)
  }
}

extension UserScore.ScoredFeature {
  /// Returns bounds on the values of distances. If the coefficient is negative, `kilometers` must be lower
  /// bounds on the distances, and the results are lower bounds. Otherwise, both are upper bounds.
  @inline(__always)
  func distanceValues(_ kilometers: Lanes) -> Lanes {
    var values = kilometers
    if mostKilometers32 < .infinity {
      values = Lanes.choose(values > mostKilometers32, Lanes(repeating: mostKilometers32), values)
    }
    guard distances.isLogarithm else { return values }
    return coefficient32 < 0 ? (values + 1).leastLogarithms : (values + 1).greatestLogarithms
  }
}

// The order `order_by: mutual`, which sorts by the chance that the user and the candidate like each other.

extension Pipeline {
  /// The settings of the order `mutual`.
  package struct MutualOrder: Hashable, Sendable {
    /// How the order uses the decisions that candidates have made about the user.
    package enum Known: String, CaseIterable, Sendable {
      /// The order ignores these decisions.
      case ignore
      /// A candidate who likes the user has the chance 1.
      case likes
      /// A candidate who likes the user has the chance 1, and a candidate who passed on the user has the
      /// chance 0.
      case all
    }

    /// The exponent on the candidate's chance, from 0 to 10. With 0, only the user's own chance counts. With
    /// 1, both chances have the same weight.
    package var other = 1.0
    package var known = Known.ignore

    package init(other: Double = 1, known: Known = .ignore) { (self.other, self.known) = (other, known) }
  }
}

extension Pipeline.MutualOrder {
  /// Reads the value of `mutual`, a mapping with `other` and `known`.
  init(_ setting: Setting) throws(PipelineFileError) {
    let keys = try setting.mapping(keys: ["other", "known"])
    if let exponent = keys["other"] {
      other = try exponent.number()
      guard (0...10).contains(other) else {
        throw exponent.mistake(
          "\(exponent.label) is \(other), but must be from 0 to 10",
          advice: "Write 1 to give both sides the same weight, or less to give the user's side more weight.")
      }
    }
    if let known = keys["known"] { self.known = try known.choice(Known.self) }
  }
}

extension Pipeline.Interaction {
  /// Rejects `setting` unless the values from which `model` learns range from -1 (a pass) to 1 (a like).
  /// Scores on another scale cannot be converted to chances. In the message, `use` names the setting that
  /// needs chances.
  func requireChances(
    _ model: Pipeline.Model, _ setting: Setting, for use: String = "the order 'mutual'"
  ) throws(PipelineFileError) {
    let known = value.range.map { [$0.lowerBound, $0.upperBound] } ?? value.knownValues?.filter { !$0.isNaN }
    guard let known else {
      throw setting.mistake(
        "\(use) needs a scale from exactly -1 (a pass) to exactly 1 (a like), but the range of the values of '\(name)' is unknown",
        advice: "Add 'range: [-1, 1]' to the value, or map its texts to numbers.")
    }
    let values = known + (model.negatives.map { [$0.value] } ?? [])
    guard values.min() == -1, values.max() == 1 else {
      let found = "is \(values.min() ?? 0) and the highest is \(values.max() ?? 0)"
      let (negatives, others) =
        model.negatives == nil ? ("", "") : (" and 'negatives'", ", and the value of 'negatives',")
      throw setting.mistake(
        "\(use) needs a scale from exactly -1 (a pass) to exactly 1 (a like), but the lowest value of '\(name)'\(negatives) \(found)",
        advice: "Map the values\(others) to this scale, or remove \(use).")
    }
  }
}

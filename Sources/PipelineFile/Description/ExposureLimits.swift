// The limits on how often a candidate is shown: `exposure: { at_most: 50, at_least: 3 }`.

extension Pipeline {
  /// The limits on how often one candidate is shown, over all lists of a ranking.
  package struct ExposureLimits: Hashable, Sendable {
    /// The measure and the value of the maximum exposure of a candidate. The lists never exceed this maximum.
    package enum Ceiling: Hashable, Sendable {
      /// The number of lists that contain the candidate.
      case lists(Int)
      /// The expected likes: the sum of the chances that users like the candidate, over the users who have
      /// the candidate on their list.
      case likes(Double)
    }

    /// The maximum exposure; `nil` for no maximum.
    package var ceiling: Ceiling?
    /// The minimum number of lists that contain each candidate, if the rules of the ranking allow so many; 0
    /// for no minimum.
    package var least = 0

    package init(ceiling: Ceiling? = nil, least: Int = 0) { (self.ceiling, self.least) = (ceiling, least) }
  }
}

extension Pipeline.ExposureLimits {
  /// Reads `{ at_most: LISTS, at_least: LISTS }` or `{ at_most: { likes: NUMBER } }`.
  init(_ setting: Setting) throws(PipelineFileError) {
    self.init()
    let keys = try setting.mapping(keys: ["at_most", "at_least"])
    guard !keys.isEmpty else {
      throw setting.mistake(
        "\(setting.label) has neither 'at_most' nor 'at_least'", advice: "Add one of them, or remove the key."
      )
    }
    if let most = keys["at_most"] {
      if most.isMapping {
        let likes = try most.mapping(keys: ["likes"])
        let setting = try most.required("likes", in: likes)
        let number = try setting.number()
        // With a lower limit, a candidate whom a user surely likes could be on no list.
        guard (1...1_000_000).contains(number) else {
          throw setting.mistake("\(setting.label) is \(number), but must be from 1 to 1000000")
        }
        ceiling = .likes(number)
      } else {
        ceiling = .lists(try most.integer(1...1_000_000))
      }
    }
    if let least = keys["at_least"] { self.least = try least.integer(1...1000) }
    if case .lists(let most) = ceiling, least > most {
      throw setting.mistake(
        "'at_least' of \(setting.label) is \(least), but 'at_most' is \(most)",
        advice: "Lower 'at_least', or raise 'at_most'.")
    }
  }
}

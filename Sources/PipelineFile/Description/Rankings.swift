// The lists of a pipeline: `rankings: { NAME: {...} }`.

extension Pipeline {
  package struct Ranking: Hashable, Sendable {
    package var name: String
    package var users: String
    /// The conditions that a user must meet to have a list; empty if all users have one.
    package var audience: [Condition] = []
    package var candidates: String
    /// The radius in kilometers; `nil` for no radius. Without a radius, the ranking needs no positions.
    package var radiusInKilometers: Double?
    /// A number attribute of the users that replaces the radius for users who have a value.
    package var radiusAttribute: String?
    /// A number attribute of the candidates: the maximum distance, in kilometers, between a candidate and the
    /// users who see the candidate. Candidates without a value have no limit.
    package var candidateRadiusAttribute: String?
    /// A category or tags attribute of the candidates. Each user gets one list per word; `nil` for a single
    /// list.
    package var per: String?
    /// With `per`: a tags attribute of the users. A user gets lists only for the words of this attribute.
    package var asked: String?
    package var exclusions: [Exclusion]
    package var order: Order
    /// The score that a listed candidate must exceed; -infinity for no minimum.
    package var minimumScore: Double
    package var top: Int
    /// The limits on how often a candidate is shown; `nil` if there are none.
    package var exposure: ExposureLimits?
    /// The fields of the candidate that a recommendation contains.
    package var shown: [ShownField] = []
    package var distanceRounding = DistanceRounding.nearest
    /// The name of the model whose scores order the lists; `nil` for the unnamed model.
    package var model: String?
    /// The kind of requests or likes that the list shows. Only candidates who are waiting for the user's
    /// answer are listed; `nil` to list all candidates.
    package var pending: Pending?
    /// Restricts candidates by the user's interactions; `nil` for all candidates.
    package var among: Choice?
    /// The kinds of interaction that the exclusion `interacted` considers; `nil` for all kinds.
    package var interactedKinds: [String]?

    /// Whether the lists contain only candidates who wait for the user's answer, or whom the user chose. Such
    /// lists do not select among alternatives, and many of them are empty in a good night.
    package var listsGivenCandidates: Bool { pending != nil || among != nil }
  }

  /// The kind of requests or likes that candidates made, and that the user has not answered.
  package enum Pending: Hashable, Sendable {
    /// A request of this kind.
    case requests(String)
    /// A like in this kind of interaction.
    case likes(String)
  }

  package struct MatchList: Hashable, Sendable {
    package enum Origin: Hashable, Sendable {
      /// Pairs of people who like each other, in this kind of interaction.
      case mutual(String)
      /// Pairs with an accepted request of this kind.
      case accepted(String)
    }

    package var name: String
    package var origin: Origin
  }
}

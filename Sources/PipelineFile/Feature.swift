extension Pipeline {
  /// One entry of `model.features`.
  package enum Feature: Hashable, Sendable {
    case category(String)
    case number(String)
    /// A number as a category: in which bin it falls.
    case bins(String, Bins)
    case position
    case distance
    /// The cell of the candidate's position, as a category.
    case geohash(precision: Int)
    /// How often a word occurs in a text, hashed.
    case text(String, dimensions: Int)
    /// Years from a date to the as-of time.
    case age(String)
    /// The day of the week, UTC, of a date.
    case weekday(String)
    /// How much the candidate did.
    case activity
    /// How long ago the candidate did anything.
    case recency
    case receivedLikeRate(ReceivedLikeRate)
    /// Whether user and candidate are of the same category.
    case same(AttributePair)
    /// The candidate's number less the user's; without its sign unless `isSigned`.
    /// Of two dates, in years.
    case difference(AttributePair, isSigned: Bool)
    /// How much of their tags user and candidate share.
    case overlap(AttributePair)
  }

  /// How the values of a number are divided.
  package enum Bins: Hashable, Sendable {
    /// Into at most so many bins of about as many candidates each; at least 2.
    case count(Int)
    /// At these values, ascending: each is the first of the bin above it.
    case edges([Double])
  }

  /// How often a candidate is liked by those who decided on them.
  package struct ReceivedLikeRate: Hashable, Sendable {
    /// The kind of interaction whose likes count.
    package var interaction: String
    /// How many decisions the population's rate counts for; above 0.
    package var smoothing: Double
    /// Whether decisions are seen against how often who made them likes.
    package var isAdjusted: Bool
    /// Whether the model learns from `interaction`: then a learning row leaves itself out.
    package var isLearnedFrom: Bool

    package init(
      interaction: String, smoothing: Double = 5, isAdjusted: Bool = true, isLearnedFrom: Bool = true
    ) {
      self.interaction = interaction
      self.smoothing = smoothing
      self.isAdjusted = isAdjusted
      self.isLearnedFrom = isLearnedFrom
    }
  }

  /// One attribute of the user's and one of the candidate's, of the same type.
  package struct AttributePair: Hashable, Sendable {
    package var user: String
    package var candidate: String

    /// What stands behind the feature's name: `field`, or `wants_offers`.
    var name: String { user == candidate ? user : "\(user)_\(candidate)" }
  }
}

extension Pipeline.Feature {
  /// What columns and reasons call it; a position is two features.
  package var names: [String] {
    switch self {
    case .category(let name), .number(let name), .bins(let name, _), .text(let name, _): [name]
    case .position: ["latitude", "longitude"]
    case .distance: ["distance_km"]
    case .geohash: ["geohash"]
    case .activity: ["activity"]
    case .recency: ["recency"]
    case .receivedLikeRate(let rate):
      [rate.isLearnedFrom ? "received_like_rate" : "received_like_rate_\(rate.interaction)"]
    case .same(let pair): ["same_\(pair.name)"]
    case .difference(let pair, _): ["difference_\(pair.name)"]
    case .overlap(let pair): ["overlap_\(pair.name)"]
    case .age(let name): ["age_\(name)"]
    case .weekday(let name): ["weekday_\(name)"]
    }
  }

  /// What the names of its columns begin with: no two features of a model may share one.
  var columnStems: [String] {
    switch self {
    case .category(let name), .bins(let name, _): [name + "="]
    case .weekday(let name): ["weekday_\(name)="]
    // Cells of two precisions are told apart by their length.
    case .geohash(let precision): ["geohash=" + String(repeating: "_", count: precision)]
    case .text(let name, _): [name + "#"]
    default: names
    }
  }
}

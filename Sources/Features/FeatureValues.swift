/// Where the values of a feature's columns come from. Every feature of a pipeline file is one of these.
///
/// Numbers are NaN where they are missing, codes `CategoryColumn.missing`.
package enum FeatureValues: Sendable {
  /// One column of 0 and 1 per word of the vocabulary. By candidate: the code.
  case category([UInt32], [String])
  /// By candidate. `low` and `high` are the words for values under and over a mean.
  case number([Double], low: String, high: String)
  /// By candidate: what others did to them, which a learning row must leave out of itself.
  case received(ReceivedRates)
  /// By candidate: a computed attribute, from which a learning row leaves out what its user did.
  case computed(ComputedValues)
  /// Kilometres, worked out for each pair.
  case distance
  /// 1 where the user's code is the candidate's, else 0; codes of one vocabulary.
  case same(users: [UInt32], candidates: [UInt32])
  /// The candidate's number less the user's; without its sign where `isAbsolute`.
  case difference(users: [Double], candidates: [Double], isAbsolute: Bool)
  /// How much of their sets both share: 0 to 1.
  case overlap(users: CodeSets, candidates: CodeSets)
  /// 1 where the user likes the candidate, or whom the candidate belongs to, else 0.
  case follows(FollowedTargets)
  /// By candidate: vectors of unit length, or 0 without text; one column per dimension.
  case text(TextVectors)
}

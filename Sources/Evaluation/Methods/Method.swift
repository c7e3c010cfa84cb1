/// The ranking methods. An evaluation compares them on the same users and candidates.
package enum Method: String, CaseIterable, Sendable {
  /// The ranking as the pipeline file defines it.
  case pipeline
  /// Ranks by the user's own score from the pipeline's model. Only a ranking in the mutual order is compared
  /// with this method.
  case oneSided = "one_sided"
  /// Ranks in the pipeline's order without its limits on exposure. Only a ranking with such limits is
  /// compared with this method.
  case withoutExposure = "without_exposure"
  /// Ranks by one regression per user, as in Apple's Create ML, on those features of the pipeline that this
  /// method supports.
  case createml
  /// Ranks by one ridge regression for all users, on the pipeline's features.
  case everybody
  /// Ranks by the smoothed share of likes among the decisions about a candidate, which is the same for every
  /// user.
  case likeRate = "like_rate"
  /// Ranks by the number of users who like a candidate, which is the same for every user.
  case popular
  /// Ranks as `popular` does, but new likes count more than old ones.
  case trending
  /// Ranks candidates by how often other users like them together with the candidates that the user likes.
  case itemToItem = "item_to_item"
  case nearest
  case random

  package var title: String {
    switch self {
    case .pipeline: "the pipeline's own ranking"
    case .oneSided: "the pipeline's model, by the user's own score alone"
    case .withoutExposure: "the pipeline's order without limits on exposure"
    case .createml: "Create ML-compatible regression per user"
    case .everybody: "one ridge regression for all users"
    case .likeRate: "smoothed share of likes among the decisions about a candidate"
    case .popular: "number of users who like a candidate"
    case .trending: "number of users who like a candidate, with new likes counting more"
    case .itemToItem: "candidates that are often liked by users who share the user's likes"
    case .nearest: "nearest first"
    case .random: "random order from a seed"
    }
  }
}

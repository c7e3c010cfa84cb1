/// The ranking methods, which are compared on the same users and candidates.
package enum Method: String, CaseIterable, Sendable {
  /// The ranking of the pipeline file.
  case pipeline
  /// The pipeline's model in the order of the user's own score. Compared only with a mutual order.
  case oneSided = "one_sided"
  /// The pipeline's order without its limits on exposure. Compared only with a ranking that has such limits.
  case withoutExposure = "without_exposure"
  /// One regression per user, as in Apple's Create ML, on the pipeline's features that this method supports.
  case createml
  /// One ridge regression for all users, on the pipeline's features.
  case everybody
  /// Ranks by the smoothed share of likes that a candidate received, which is the same for every user.
  case likeRate = "like_rate"
  /// Ranks by the number of users who like a candidate, which is the same for every user.
  case popular
  /// Ranks as `popular` does, but new likes count more than old ones.
  case trending
  /// Ranks by the item-to-item coefficients of the candidates that the user likes.
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
    case .likeRate: "smoothed share of likes that a candidate received"
    case .popular: "number of users who like a candidate"
    case .trending: "number of users who like a candidate, with new likes counting more"
    case .itemToItem: "candidates that many users like together with the user's likes"
    case .nearest: "nearest first"
    case .random: "random order from a seed"
    }
  }
}

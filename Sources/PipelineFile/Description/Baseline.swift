/// A method that an evaluation compares with the pipeline's own ranking. `Method` in the module `Evaluation`
/// describes each method.
package enum Baseline: String, CaseIterable, Sendable {
  case oneSided = "one_sided"
  case withoutExposure = "without_exposure"
  case createml, everybody
  case likeRate = "like_rate"
  case popular, trending
  case itemToItem = "item_to_item"
  case nearest, random
}

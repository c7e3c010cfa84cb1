/// A method that an evaluation compares with the pipeline's own ranking. `Evaluation` describes each in
/// `Method`.
package enum Baseline: String, CaseIterable, Sendable {
  case createml, everybody
  case likeRate = "like_rate"
  case popular, nearest, random
}

internal import Columns
internal import Files
internal import PipelineFile
internal import RunSchemas
internal import Text

/// The text of `scores.csv`: a row per later decision, with the score of each method. The area under the
/// curve can be computed from these rows alone.
struct ScoresText {
  let evaluation: RankingEvaluation
  /// The user ids, in the order of the rows of the cut snapshot.
  let userIDs: StringColumn
  /// The candidate ids, in the order of the rows of the cut snapshot.
  let candidateIDs: StringColumn
  /// The methods of all rankings, which have one column each. The columns of methods that this ranking lacks
  /// are empty.
  let methods: [Method]

  /// The number of users whose rows are in memory at a time.
  private static let chunk = 4096

  static func header(_ methods: [Method]) -> [String] {
    ["ranking", "user_id", "candidate_id", "like", "match"] + methods.map(\.rawValue)
  }

  var rowCount: Int { evaluation.decisions.candidates.count }

  /// Calls `body` with the rows of at most 4096 users at a time, in the order of users and candidates.
  func forEachPart(_ body: (CSVText) throws(FileError) -> Void) throws(FileError) {
    let (decisions, matches) = (evaluation.decisions, evaluation.matches)
    let outcomes = methods.map { method in evaluation.outcomes.first { $0.method == method } }
    for first in stride(from: 0, to: decisions.userCount, by: Self.chunk) {
      var text = CSVText()
      for user in first..<min(first + Self.chunk, decisions.userCount) {
        for index in decisions.range(ofUser: user) {
          text.append(text: evaluation.ranking.name)
          text.append(text: userIDs.bytes(user))
          text.append(text: candidateIDs.bytes(Int(decisions.candidates[index])))
          text.append(plain: decisions.isLike[index] ? "1" : "0")
          text.append(plain: matches?.isMatch[index].map { $0 ? "1" : "0" } ?? "")
          for outcome in outcomes {
            text.append(plain: outcome.map { $0.scores[index].description } ?? "")
          }
          text.endRow()
        }
      }
      try body(text)
    }
  }
}

internal import Columns
internal import PipelineFile
internal import RunSchemas
internal import Text

/// The text of `per_user.csv`: a row per user and method, with the values behind all means, for further
/// analysis.
struct PerUserText {
  let evaluation: RankingEvaluation
  /// The user ids, in the order of the rows of the cut snapshot.
  let userIDs: StringColumn
  /// The names of the slicings of all rankings. The columns of slicings that this ranking lacks are empty.
  let slicings: [String]

  static func header(_ metrics: [Metric], slicings: [String]) -> [String] {
    ["ranking", "method", "user_id", "listed", "likes", "passes"] + metrics.map(\.name) + ["auc"] + slicings
  }

  /// Writes a row per method for each user with a decision after the cut, in the order of ids. The list
  /// metrics of a user without a later like are empty. The area under the curve is empty if the user lacks a
  /// later like or a later pass. Returns the number of rows.
  func rows(to text: inout CSVText) -> Int {
    let placeInFinding = Self.places(evaluation.finding.users, of: evaluation.users.asOfCut)
    let placeInOrdering = Self.places(evaluation.ordering.users, of: evaluation.users.asOfCut)
    let decisions = evaluation.decisions
    let own = slicings.map { name in evaluation.slicings.first { $0.name == name } }
    var rows = 0
    for user in 0..<decisions.userCount {
      let range = decisions.range(ofUser: user)
      guard !range.isEmpty else { continue }
      let likes = range.count { decisions.isLike[$0] }
      for (number, outcome) in evaluation.outcomes.enumerated() {
        text.append(text: evaluation.ranking.name)
        text.append(plain: outcome.method.rawValue)
        text.append(text: userIDs.bytes(user))
        text.append(plain: String(outcome.lists[user].count))
        text.append(plain: String(likes))
        text.append(plain: String(range.count - likes))
        for metric in evaluation.metrics.indices {
          let place = placeInFinding[user]
          text.append(
            plain: place < 0 ? "" : evaluation.finding.values[number][metric][place].description)
        }
        let place = placeInOrdering[user]
        text.append(plain: place < 0 ? "" : evaluation.ordering.values[number][0][place].description)
        for slicing in own {
          text.append(text: slicing?.sliceOfRow[user].map { slicing?.slices[$0] ?? "" } ?? "")
        }
        text.endRow()
        rows += 1
      }
    }
    return rows
  }

  private static func places(_ users: [Int], of count: Int) -> [Int] {
    var places = [Int](repeating: -1, count: count)
    for (place, user) in users.enumerated() { places[user] = place }
    return places
  }
}

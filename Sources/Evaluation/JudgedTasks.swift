/// The tasks of the evaluation: finding later likes, ordering likes before passes, and ordering matches
/// before other decisions. Each task covers only the users who have the decisions that it needs.
struct JudgedTasks {
  let decisions: LaterDecisions
  let outcomes: [MethodOutcome]
  /// The cluster number of each user; `nil` if the data define no clusters. Users in one cluster share
  /// candidates.
  let clusterOfUser: [Int]?
  /// The number of bootstrap samples per interval.
  let samples: Int
  let seed: UInt64

  /// The row numbers of the users with a later like and a later pass, in ascending order.
  let orderers: [Int]

  init(
    decisions: LaterDecisions, outcomes: [MethodOutcome], clusterOfUser: [Int]?, samples: Int, seed: UInt64
  ) {
    (self.decisions, self.outcomes, self.clusterOfUser) = (decisions, outcomes, clusterOfUser)
    (self.samples, self.seed) = (samples, seed)
    orderers = (0..<decisions.userCount).filter { user in
      let range = decisions.range(ofUser: user)
      let likes = range.count { decisions.isLike[$0] }
      return likes > 0 && likes < range.count
    }
  }

  /// Returns the task of finding later likes in lists, measured by `metrics` over users with a later like.
  func finding(_ metrics: [Metric]) -> UserTask {
    let relevant = (0..<decisions.userCount).map { decisions.relevant(of: $0) }
    let finders = relevant.indices.filter { !relevant[$0].isEmpty }
    return task(
      users: finders, metrics: metrics.map(\.name),
      values: outcomes.map { outcome in
        let judged = finders.map { outcome.lists.judged($0, relevant: relevant[$0]) }
        return metrics.map { metric in judged.map { metric.value(of: $0) } }
      })
  }

  /// The areas under the curve, by method and then in the order of `orderers`.
  var areas: [[AreaUnderCurve]] {
    outcomes.map { outcome in
      orderers.map { user in
        let range = decisions.range(ofUser: user)
        return AreaUnderCurve(scores: Array(outcome.scores[range]), isLike: Array(decisions.isLike[range]))
      }
    }
  }

  /// Returns the task of scoring later likes above later passes, over `orderers`.
  func ordering(_ areas: [[AreaUnderCurve]]) -> UserTask {
    task(users: orderers, metrics: ["auc"], values: areas.map { [$0.compactMap(\.value)] })
  }

  /// Returns the task of scoring later matches above other decisions. Only answered decisions count. A
  /// decision is answered if the candidate has also decided on the user. The task covers users with at least
  /// one match and one other answered decision.
  ///
  /// The metric `match_auc` is the area under the curve. The metric `match_at_1` is 1 if the decision with
  /// the highest score is a match, and otherwise 0. If several decisions share the highest score, the metric
  /// is the share of matches among them. `isMatch` states for each decision whether the decision led to a
  /// match; `nil` means that the decision has no answer.
  func matching(_ isMatch: [Bool?]) -> UserTask {
    let answered = (0..<decisions.userCount).map { user in
      decisions.range(ofUser: user).filter { isMatch[$0] != nil }
    }
    let users = answered.indices.filter { user in
      let matches = answered[user].count { isMatch[$0] == true }
      return matches > 0 && matches < answered[user].count
    }
    return task(
      users: users, metrics: ["match_auc", "match_at_1"],
      values: outcomes.map { outcome in
        let judged = users.map { user in
          let labels = answered[user].map { isMatch[$0] == true }
          let scores = answered[user].map { outcome.scores[$0] }
          let best = scores.max() ?? 0
          let first = scores.indices.filter { scores[$0] == best }
          return (
            area: AreaUnderCurve(scores: scores, isLike: labels).value ?? 0.5,
            first: Double(first.count { labels[$0] }) / Double(first.count)
          )
        }
        return [judged.map(\.area), judged.map(\.first)]
      })
  }

  private func task(users: [Int], metrics: [String], values: [[[Double]]]) -> UserTask {
    UserTask(
      users: users, metrics: metrics, values: values,
      clusters: clusterOfUser.map { Self.renumbered($0, users) }, samples: samples, seed: seed)
  }

  /// Returns the group numbers of `members`, renumbered from 0 in order of first occurrence.
  private static func renumbered(_ groups: [Int], _ members: [Int]) -> [Int] {
    var numbers: [Int: Int] = [:]
    return members.map { member in
      let next = numbers.count
      return numbers[groups[member]]
        ?? {
          numbers[groups[member]] = next
          return next
        }()
    }
  }
}

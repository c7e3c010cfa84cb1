package import PipelineFile
internal import Ranking
internal import RunSchemas
internal import Text

/// One ranking, judged: all methods on the same users, against what these users did after the cut.
package struct RankingEvaluation: Sendable {
  package let ranking: Pipeline.Ranking
  package let methods: [Method]
  /// By method: whether it is the pipeline's own ranking under another name.
  let isPipelinesOwn: [Bool]
  package let metrics: [Metric]
  package let decisions: LaterDecisions
  /// By method, in their order.
  let outcomes: [MethodOutcome]
  /// Did later likes stand on the list? Over users with a later like.
  let finding: UserTask
  /// Are later likes scored above later passes? Over users with both.
  let ordering: UserTask
  /// By method, by place in the ordering's users.
  let areas: [[AreaUnderCurve]]
  let profiles: [ListProfile]
  let calibrations: [Calibration?]
  let slicings: [Slicing]
  let matches: LaterMatches?
  let users: Users
  /// The baselines that could not be made, and why.
  let leftOut: [Method: String]
  /// What fit counted of the pipeline's own model as of the cut.
  let fitted: JSONValue?
  /// How many clusters of users the second kind of interval draws; `nil` where each user stands alone.
  let clusters: Int?

  /// How many users there are of each kind.
  struct Users: Hashable, Sendable {
    var asOfCut: Int
    var withDecisions: Int
    var withLikes: Int
    /// Of those with likes, who has an empty list by the pipeline's own ranking.
    var withLikesWithoutList: Int
    var withBoth: Int
    /// Later likes of candidates who were eligible for the user as of the cut: more cannot be found.
    var reachableLikes: Int
  }

  /// - Parameters:
  ///   - ranking: Who is ranked for whom, under which rules.
  ///   - cut: The world as of the cut.
  ///   - set: What is compared, the pipeline's own ranking first.
  ///   - threads: Workers over users; the result does not depend on it.
  init(
    _ ranking: Pipeline.Ranking, _ cut: CutWorld, _ set: MethodSet, threads: Int
  ) {
    let methods = set.all
    fitted = set.fitted
    leftOut = set.leftOut
    let settings = cut.settings
    self.ranking = ranking
    self.methods = methods.map(\.method)
    isPipelinesOwn = methods.map { $0.ranker == nil }
    metrics = Metric.all(at: settings.at)
    decisions = cut.decisions
    let decisions = cut.decisions
    var outcomes: [MethodOutcome] = []
    for ranked in methods {
      if let ranker = ranked.ranker {
        outcomes.append(
          MethodOutcome(ranked.method, ranker, decisions, scale: ranked.scale, threads: threads))
      } else {
        outcomes.append(outcomes[0].renamed(ranked.method))
      }
    }
    self.outcomes = outcomes
    let clusterOfUser = cut.clusterOfUser(ranking)
    clusters = clusterOfUser.map { Set($0).count }

    let relevant = (0..<decisions.userCount).map { decisions.relevant(of: $0) }
    let finders = relevant.indices.filter { !relevant[$0].isEmpty }
    let allMetrics = metrics
    finding = UserTask(
      users: finders, metrics: metrics.map(\.name),
      values: outcomes.map { outcome in
        let judged = finders.map { outcome.lists.judged($0, relevant: relevant[$0]) }
        return allMetrics.map { metric in judged.map { metric.value(of: $0) } }
      },
      clusters: clusterOfUser.map { Self.renumbered($0, finders) }, samples: settings.samples, seed: cut.seed)

    let orderers = (0..<decisions.userCount).filter { user in
      let range = decisions.range(ofUser: user)
      let likes = range.count { decisions.isLike[$0] }
      return likes > 0 && likes < range.count
    }
    let areas = outcomes.map { outcome in
      orderers.map { user in
        let range = decisions.range(ofUser: user)
        return AreaUnderCurve(scores: Array(outcome.scores[range]), isLike: Array(decisions.isLike[range]))
      }
    }
    self.areas = areas
    ordering = UserTask(
      users: orderers, metrics: ["auc"], values: areas.map { [$0.compactMap(\.value)] },
      clusters: clusterOfUser.map { Self.renumbered($0, orderers) }, samples: settings.samples, seed: cut.seed
    )

    let recommender = set.recommender
    let isCandidate = (0..<cut.candidates.count).map { recommender.isListable(candidate: $0) }
    let decidedOnBy = cut.decidedOnBy
    profiles = outcomes.map {
      ListProfile(
        $0.lists, isCandidate: isCandidate, decidedOnBy: decidedOnBy,
        isOneKind: ranking.users == ranking.candidates)
    }
    // Those that every method predicts which predicts any: the same decisions for all.
    let predicting = outcomes.filter { outcome in outcome.probabilities.contains { !$0.isNaN } }
    let known = decisions.isLike.indices.filter { index in
      predicting.allSatisfy { !$0.probabilities[index].isNaN }
    }
    calibrations = outcomes.map { outcome in
      guard predicting.contains(where: { $0.method == outcome.method }) else { return nil }
      return Calibration(
        predictions: known.map { outcome.probabilities[$0] }, isLike: known.map { decisions.isLike[$0] })
    }
    slicings = cut.slicings(inReach: outcomes.first?.inReach ?? [])
    matches = cut.laterMatches
    users = Users(
      asOfCut: decisions.userCount,
      withDecisions: (0..<decisions.userCount).count { !decisions.range(ofUser: $0).isEmpty },
      withLikes: finders.count,
      withLikesWithoutList: outcomes.isEmpty ? 0 : finders.count { outcomes[0].lists[$0].isEmpty },
      withBoth: orderers.count,
      reachableLikes: cut.reachableLikes(set.recommender))
  }

  /// The numbers of `members`' groups, counted from 0 in the order met.
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

  /// The place of `method` among the methods.
  func index(of method: Method) -> Int? { methods.firstIndex(of: method) }
}

/// Pairs who came to like each other after the cut.
struct LaterMatches: Hashable, Sendable {
  /// Rows of both, the smaller first, in ascending order.
  var pairs: [[UInt32]]

  /// How many pairs stand on one of their lists at least, and how many on both.
  func found(in lists: MethodLists) -> (onOne: Int, onBoth: Int) {
    var (onOne, onBoth) = (0, 0)
    for pair in pairs {
      let there = lists[Int(pair[0])].contains(pair[1])
      let back = lists[Int(pair[1])].contains(pair[0])
      if there || back { onOne += 1 }
      if there && back { onBoth += 1 }
    }
    return (onOne, onBoth)
  }
}

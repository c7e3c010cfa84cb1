package import PipelineFile
internal import Concurrency
internal import Ranking
internal import RunSchemas
internal import Text

/// The evaluation of one ranking. All methods are evaluated on the same users, against these users' decisions
/// after the cut.
package struct RankingEvaluation: Sendable {
  package let ranking: Pipeline.Ranking
  package let methods: [Method]
  /// For each method, whether it is a baseline that equals the pipeline's own ranking.
  let isPipelinesOwn: [Bool]
  package let metrics: [Metric]
  package let decisions: LaterDecisions
  /// The outcome of each method, in the order of methods.
  let outcomes: [MethodOutcome]
  /// The task of finding later likes in lists, over users with a later like.
  let finding: UserTask
  /// The task of scoring later likes above later passes, over users with a later like and a later pass.
  let ordering: UserTask
  /// The task of scoring later matches above other answered decisions; `nil` if users and candidates are
  /// different entities, or if no user has both a match and another answered decision.
  let matching: UserTask?
  /// The areas under the curve, by method and then in the order of `ordering.users`.
  let areas: [[AreaUnderCurve]]
  let profiles: [ListProfile]
  let calibrations: [Calibration?]
  let slicings: [Slicing]
  let groupExposures: [GroupExposure]
  let matches: LaterMatches?
  let users: Users
  /// The baselines that could not be fitted, with the reasons.
  let leftOut: [Method: String]
  /// The counts of `fit` as of the cut, for the pipeline's own model or for the discovery order; `nil` if the
  /// pipeline has neither.
  let fitted: JSONValue?
  /// The number of clusters that the cluster bootstrap draws from; `nil` if each user is its own cluster.
  let clusters: Int?

  /// The numbers of users, by the decisions that they made after the cut.
  struct Users: Hashable, Sendable {
    var asOfCut: Int
    var withDecisions: Int
    var withLikes: Int
    /// The number of users who have a later like but an empty list in the pipeline's own ranking.
    var withLikesWithoutList: Int
    var withBoth: Int
    /// The number of later likes of candidates who were eligible as of the cut. This number is an upper bound
    /// on the number of hits.
    var reachableLikes: Int
  }

  /// Returns the index of `method` among the methods; `nil` if the method was not evaluated.
  func index(of method: Method) -> Int? { methods.firstIndex(of: method) }
}

extension RankingEvaluation {
  /// Computes the lists and scores of all methods for `ranking`, and evaluates them.
  ///
  /// - Parameters:
  ///   - ranking: The ranking with its users, candidates and rules.
  ///   - cut: The data as of the cut.
  ///   - set: The methods to compare, with the pipeline's own ranking first.
  ///   - threads: The number of threads; the result does not depend on it.
  ///   - progress: Counts the methods with lists, and then begins the part about intervals.
  init(
    _ ranking: Pipeline.Ranking, _ cut: CutWorld, _ set: MethodSet, threads: Int,
    _ progress: WorkProgress = WorkProgress()
  ) {
    let decisions = cut.decisions
    progress.begin(part: "\(ranking.name), lists")
    progress.begin("methods", total: set.all.count)
    let outcomes = Self.outcomes(of: set.all, decisions, threads: threads, progress)
    progress.begin(part: "\(ranking.name), intervals")
    let clusterOfUser = cut.clusterOfUser(ranking)
    let metrics = Metric.all(at: cut.settings.at)
    let tasks = JudgedTasks(
      decisions: decisions, outcomes: outcomes, clusterOfUser: clusterOfUser, samples: cut.settings.samples,
      seed: cut.seed)
    let areas = tasks.areas
    let finding = tasks.finding(metrics)
    var matches = cut.laterMatches
    matches?.leaveOut(from: decisions) { user in
      let view = set.recommender.view(of: user)
      return { !view.isEligible(candidate: Int($0)) }
    }
    let matching = matches.map { tasks.matching($0.isMatch) }
    let isCandidate = (0..<cut.candidates.count).map { set.recommender.isListable(candidate: $0) }
    self.init(
      ranking: ranking, methods: set.all.map(\.method), isPipelinesOwn: set.all.map { $0.ranker == nil },
      metrics: metrics, decisions: decisions, outcomes: outcomes, finding: finding,
      ordering: tasks.ordering(areas), matching: matching?.users.isEmpty == false ? matching : nil,
      areas: areas, profiles: Self.profiles(of: outcomes, ranking, cut, isCandidate: isCandidate),
      calibrations: Self.calibrations(of: outcomes, decisions),
      slicings: cut.slicings(inReach: outcomes.first?.inReach ?? []),
      groupExposures: Self.groupExposures(of: outcomes, cut, isCandidate: isCandidate), matches: matches,
      users: Users(
        asOfCut: decisions.userCount,
        withDecisions: (0..<decisions.userCount).count { !decisions.range(ofUser: $0).isEmpty },
        withLikes: finding.users.count,
        withLikesWithoutList: outcomes.isEmpty
          ? 0 : finding.users.count { outcomes[0].lists[$0].isEmpty },
        withBoth: tasks.orderers.count, reachableLikes: cut.reachableLikes(set.recommender)),
      leftOut: set.leftOut, fitted: set.fitted, clusters: clusterOfUser.map { Set($0).count })
  }

  /// Computes the outcome of each method. A method without a ranker has the same outcome as the pipeline's
  /// own ranking, which is the first method.
  private static func outcomes(
    of methods: [RankedMethod], _ decisions: LaterDecisions, threads: Int, _ progress: WorkProgress
  ) -> [MethodOutcome] {
    var outcomes: [MethodOutcome] = []
    for ranked in methods {
      defer { progress.add(1) }
      if let ranker = ranked.ranker {
        outcomes.append(
          MethodOutcome(ranked.method, ranker, decisions, scale: ranked.scale, threads: threads))
      } else {
        outcomes.append(outcomes[0].renamed(ranked.method))
      }
    }
    return outcomes
  }

  private static func profiles(
    of outcomes: [MethodOutcome], _ ranking: Pipeline.Ranking, _ cut: CutWorld, isCandidate: [Bool]
  ) -> [ListProfile] {
    let decidedOnBy = cut.decidedOnBy
    return outcomes.map {
      ListProfile(
        $0.lists, isCandidate: isCandidate, decidedOnBy: decidedOnBy,
        isOneKind: ranking.users == ranking.candidates)
    }
  }

  private static func groupExposures(
    of outcomes: [MethodOutcome], _ cut: CutWorld, isCandidate: [Bool]
  ) -> [GroupExposure] {
    let count = isCandidate.count
    let exposures = outcomes.map { $0.lists.exposures(candidates: count) }
    let likes = cut.decisions.likesOfCandidate(count: count)
    return cut.candidateSlicings.map {
      GroupExposure($0, exposures: exposures, isCandidate: isCandidate, likes: likes)
    }
  }

  /// Computes the calibration of each method's probabilities; `nil` if the method predicts no probabilities.
  ///
  /// All methods are evaluated on the same decisions, for which every predicting method has a probability.
  static func calibrations(of outcomes: [MethodOutcome], _ decisions: LaterDecisions) -> [Calibration?] {
    let predicting = outcomes.filter { outcome in outcome.probabilities.contains { !$0.isNaN } }
    let known = decisions.isLike.indices.filter { index in
      predicting.allSatisfy { !$0.probabilities[index].isNaN }
    }
    return outcomes.map { outcome in
      guard predicting.contains(where: { $0.method == outcome.method }) else { return nil }
      return Calibration(
        predictions: known.map { outcome.probabilities[$0] }, isLike: known.map { decisions.isLike[$0] })
    }
  }
}

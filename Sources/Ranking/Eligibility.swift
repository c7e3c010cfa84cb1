package import PipelineFile
internal import Tables

/// Who may stand on whose list, apart from distance and score.
struct Eligibility: Sendable {
  private let exclusions: [Pipeline.Exclusion]
  private let flags: [String: [UInt8]]
  /// Kinds of interactions of users with candidates, and of candidates with users.
  private let given: [InteractionTable]
  private let received: [InteractionTable]
  private let isOneKind: Bool

  init(_ ranking: Pipeline.Ranking, _ pipeline: Pipeline, _ snapshot: Snapshot) {
    exclusions = ranking.exclusions
    flags = snapshot.entities[ranking.candidates]?.flags.mapValues(\.elements) ?? [:]
    given = pipeline.interactions
      .filter { $0.user.entity == ranking.users && $0.candidate.entity == ranking.candidates }
      .compactMap { snapshot.interactions[$0.name] }
    received = pipeline.interactions
      .filter { $0.user.entity == ranking.candidates && $0.candidate.entity == ranking.users }
      .compactMap { snapshot.interactions[$0.name] }
    isOneKind = ranking.users == ranking.candidates
  }

  /// The index of the first exclusion by a flag that `candidate` falls under: whoever has one is on nobody's list.
  func flag(of candidate: Int) -> Int? {
    exclusions.firstIndex { exclusion in
      if case .flagged(let name) = exclusion { flags[name]?[candidate] == 1 } else { false }
    }
  }

  /// The exclusions of one user, ready to be asked for each candidate.
  func of(user: Int) -> UserEligibility {
    UserEligibility(
      exclusions: exclusions, flags: flags, user: isOneKind ? user : nil,
      interacted: exclusions.contains(.interacted) ? interactedCandidates(of: user) : [],
      vetoing: exclusions.contains(.vetoed) ? vetoingCandidates(of: user) : [])
  }

  private func interactedCandidates(of user: Int) -> Set<Int> {
    given.reduce(into: []) { candidates, table in
      for index in table.range(ofUser: user) { candidates.insert(Int(table.candidate[index])) }
    }
  }

  /// Whoever's latest interaction with the user is a pass: someone who thought better of it is no veto any more.
  private func vetoingCandidates(of user: Int) -> Set<Int> {
    received.reduce(into: []) { candidates, table in
      var latest: [Int: Double] = [:]
      // Each giver's interactions stand in the order of time, so the last one seen is the latest.
      for position in table.range(ofCandidate: user) {
        let index = table.byCandidate[position]
        latest[Int(table.user[index])] = table.value[index]
      }
      for (giver, value) in latest where value < 0 { candidates.insert(giver) }
    }
  }
}

/// The exclusions of one user.
struct UserEligibility {
  let exclusions: [Pipeline.Exclusion]
  let flags: [String: [UInt8]]
  /// The user's own row among the candidates, where both are of one kind.
  let user: Int?
  let interacted: Set<Int>
  let vetoing: Set<Int>

  /// The index of the first exclusion that `candidate` falls under, or `nil` for someone eligible.
  func exclusion(of candidate: Int) -> Int? {
    exclusions.firstIndex { exclusion in
      switch exclusion {
      case .oneself: candidate == user
      case .interacted: interacted.contains(candidate)
      case .vetoed: vetoing.contains(candidate)
      case .flagged(let name): flags[name]?[candidate] == 1
      }
    }
  }
}

extension Pipeline.Exclusion {
  /// The name in the pipeline file and in the funnel.
  package var name: String {
    switch self {
    case .oneself: "self"
    case .interacted: "interacted"
    case .vetoed: "vetoed"
    case .flagged(let name): name
    }
  }
}

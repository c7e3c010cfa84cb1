package import System

// The rankings that an evaluation can judge. They depend only on the pipeline file, so a run can determine
// them before it reads any export.

extension Pipeline {
  /// Returns the kind of interaction that serves as test data, and the rankings that it can evaluate.
  ///
  /// - Throws: `NothingToEvaluate` with the reason if an evaluation can judge no ranking.
  package func judgeable() throws(NothingToEvaluate)
    -> (kind: Interaction, rankings: [Ranking])
  {
    guard !interactions.isEmpty else {
      throw NothingToEvaluate(
        "an evaluation compares the lists with interactions, but the pipeline file has no 'interactions'; add them to evaluate the lists"
      )
    }
    if let checkIns = checkIns.first {
      throw NothingToEvaluate(
        "the check-ins '\(checkIns.name)' contain only current positions, so lists as of an earlier time would leak the future; a pipeline with check-ins cannot be evaluated"
      )
    }
    guard let kind = evaluatedInteraction else {
      throw NothingToEvaluate(
        "the pipeline file has several kinds of interactions, and no model selects one of them; add a model that learns from the kind to evaluate"
      )
    }
    guard kind.value.definesLikes else {
      throw NothingToEvaluate(
        "all values of '\(kind.name)' are above 0, so likes and passes cannot be distinguished; add 'liked_from' to 'interactions.\(kind.name).value'"
      )
    }
    let rankings = evaluatedRankings(kind)
    guard !rankings.isEmpty else {
      throw NothingToEvaluate(
        "the pipeline file has no ranking that '\(kind.name)' can evaluate; add a ranking of '\(kind.candidate.entity)' for '\(kind.user.entity)' by score, distance, discovery or mutual chance, without 'for', 'among' and 'pending'"
      )
    }
    return (kind, rankings)
  }
}

extension Pipeline {
  /// The reason why the pipeline cannot be evaluated; `nil` if an evaluation is possible.
  package var obstacleToEvaluation: NothingToEvaluate? {
    do throws(NothingToEvaluate) {
      _ = try judgeable()
      return nil
    } catch {
      return error
    }
  }
}

/// The error for a pipeline without rankings that an evaluation could judge.
package struct NothingToEvaluate: ErrorWithStatus, Hashable, Sendable, CustomStringConvertible {
  package var exitStatus: ExitStatus { .badPipelineFile }

  package let description: String

  package init(_ reason: String) {
    description = "the pipeline has nothing to evaluate: \(reason)"
  }
}

extension Pipeline {
  /// Returns the rankings that the interactions `kind` can evaluate. They have the users and candidates of
  /// `kind`, and none of the settings `for`, `among` and `pending`. If some rankings are by discovery, or by
  /// score or mutual chance with the evaluated model, the result contains only these rankings. Otherwise, it
  /// contains all rankings by score, mutual chance or distance.
  package func evaluatedRankings(_ kind: Interaction) -> [Ranking] {
    // A ranking for some users has no lists for the other users.
    let fitting = rankings.filter {
      $0.users == kind.user.entity && $0.candidates == kind.candidate.entity
        && ([.score, .distance, .discovery(of: kind.name)].contains($0.order) || $0.order.mutual != nil)
        && !$0.listsGivenCandidates
        && $0.audience.isEmpty
    }.map(\.evaluated)
    let scored = fitting.filter {
      $0.order == .discovery(of: kind.name)
        || $0.order.usesScores && $0.model == evaluatedModel?.name
    }
    return scored.isEmpty ? fitting : scored
  }
}

extension Pipeline.Ranking {
  /// The form of the ranking that an evaluation judges. It has one list for all words instead of one list per
  /// word. It has no condition on free time, because exports contain only future slots.
  fileprivate var evaluated: Pipeline.Ranking {
    var ranking = self
    (ranking.per, ranking.asked) = (nil, nil)
    ranking.exclusions.removeAll { exclusion in
      switch exclusion {
      case .unless(.free), .unless(.known), .unasked: true
      default: false
      }
    }
    return ranking
  }
}

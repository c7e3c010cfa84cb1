internal import Files
package import PipelineFile
internal import RunSchemas
internal import ServingStore
package import System
internal import Text

/// The limits on the quality of a run's lists. A run that exceeds a limit is not published.
///
/// A limit is exceeded only if the whole 95 % bootstrap interval is beyond the limit. A ranking without an
/// interval therefore passes, for example if users have no likes after the cut.
struct QualityGuards {
  let limits: Pipeline.QualityLimits
  /// The evaluation of the run; `nil` if the run has none.
  let quality: RunQuality?
  /// The evaluation of the last complete run; `nil` if that run has no readable evaluation.
  let earlier: RunQuality?

  /// The limits that the run violates, by ranking in the order of the evaluation. A run without an evaluation
  /// violates all limits.
  var violations: [PublicationGuards.Violation] {
    guard let quality else {
      return limits.stated.map {
        PublicationGuards.Violation(guardName: $0, found: "the run has no evaluation")
      }
    }
    return quality.rankings.flatMap { ranking in
      [low(ranking), drop(ranking), worse(ranking)].compactMap(\.self)
    }
  }

  private func low(_ ranking: RunQuality.RankingQuality) -> PublicationGuards.Violation? {
    guard let least = limits.aucAtLeast, let auc = ranking.limitedArea,
      let high = auc.interval?.high,
      high < least
    else { return nil }
    return PublicationGuards.Violation(
      guardName: "auc_at_least", found: "\(ranking.name) has \(auc.text); the limit is \(least.short)")
  }

  private func drop(_ ranking: RunQuality.RankingQuality) -> PublicationGuards.Violation? {
    guard let most = limits.ndcgDropAtMost, let now = ranking.finding, let high = now.interval?.high,
      let before = earlier?.rankings.first(where: { $0.name == ranking.name })?.finding,
      before.metric == now.metric, high < (1 - most) * before.mean
    else { return nil }
    return PublicationGuards.Violation(
      guardName: "ndcg_drop_at_most",
      found:
        "\(ranking.name) has \(now.text); the last complete run had \(before.mean.fixed(3)), and the limit is a "
        + "drop of \(most.percent)")
  }

  private func worse(_ ranking: RunQuality.RankingQuality) -> PublicationGuards.Violation? {
    guard let method = limits.notWorseThan?.rawValue, let difference = ranking.differences[method],
      let high = difference.interval?.high, high < 0
    else { return nil }
    return PublicationGuards.Violation(
      guardName: "not_worse_than", found: "\(ranking.name) is worse than \(method): \(difference.text)")
  }
}

extension QualityGuards {
  /// Creates the guards for a run; `nil` if the pipeline file has no limits on quality.
  ///
  /// - Parameters:
  ///   - limits: The limits of the pipeline file.
  ///   - run: The run directory.
  ///   - pipelineFile: The path of the pipeline file, for the message.
  ///   - overrides: The values of `--set`, for the message.
  ///   - requiresEvaluation: Whether a run without an evaluation is an error. Otherwise, such a run violates
  ///     all limits.
  /// - Throws: `StageFailure` if the run lacks a required evaluation; `FileError` if its evaluation is
  ///   damaged.
  init?(
    _ limits: Pipeline.QualityLimits, run: String, pipelineFile: String, overrides: [String] = [],
    requiresEvaluation: Bool
  ) throws {
    if limits.stated.isEmpty { return nil }
    let quality = try RunQuality(of: run)
    if quality == nil, requiresEvaluation {
      throw MissingEvaluation(
        limits: limits, run: run, pipelineFile: pipelineFile, overrides: overrides
      ).failure
    }
    // A damaged evaluation of an earlier run must not stop this run.
    let earlier = RunDirectories(around: run).flatMap { try? RunQuality(of: $0.root + "/latest") }
    self.init(limits: limits, quality: quality, earlier: earlier)
  }
}

/// A run whose quality cannot be compared with the limits, because it has no evaluation.
package struct MissingEvaluation {
  private let limits: Pipeline.QualityLimits
  private let advice: String
  private let found: String

  /// Creates the error for a run that has not begun.
  package init(limits: Pipeline.QualityLimits) {
    self.limits = limits
    (found, advice) = ("this run is not evaluated", "Add --evaluate.")
  }

  /// Creates the error for the run directory `run`.
  init(
    limits: Pipeline.QualityLimits, run: String, pipelineFile: String, overrides: [String] = []
  ) {
    self.limits = limits
    found = "'\(run)' has none"
    let command = ShownCommand.text(
      "evaluate", pipelineFile, set: overrides, "--run-dir", ShownPath.short(run))
    advice = "Run '\(command)' first, or add --evaluate to 'nightjar run'."
  }

  /// The error, which ends the command with status 78.
  package var failure: StageFailure {
    let names = limits.stated.map { "publish.guards." + $0 }.joined(separator: " and ")
    return StageFailure(
      .badPipelineFile,
      "\(names) \(limits.stated.count == 1 ? "needs" : "need") an evaluation, but \(found). \(advice)")
  }
}

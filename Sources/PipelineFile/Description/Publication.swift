// The settings of `publish`.

extension Pipeline {
  package struct Publication: Hashable, Sendable {
    /// The addresses of the stores, at least one: `sqlite:PATH`, `postgresql://HOST/DATABASE` or
    /// `redis://HOST:PORT/NUMBER`.
    package var stores: [String]
    package var keep = 3
    /// The maximum share by which the number of a ranking's users may drop, from one generation to the next
    /// and from one complete run to the next; `nil` for `Expectations.usualDrop`.
    package var usersDropAtMost: Double?
    /// The maximum share of empty lists; `nil` for no limit.
    package var listsEmptyAtMost: Double?
    /// The limits on the quality of the lists in the evaluation of the run.
    package var quality = QualityLimits()
    /// The attributes that are published, by entity.
    package var attributes: [String: [String]] = [:]
    /// The published positions, sorted by entity.
    package var positions: [PublishedPositions] = []
  }

  /// Limits on the quality of the lists in an evaluation. A value violates a limit if its whole 95% interval
  /// is beyond the limit.
  package struct QualityLimits: Hashable, Sendable {
    /// The minimum AUC, from 0 to 1; `nil` for no limit. For a mutual order, it is the minimum AUC of
    /// matches.
    package var aucAtLeast: Double?
    /// The maximum share by which nDCG may drop from one complete run to the next; `nil` for no limit.
    package var ndcgDropAtMost: Double?
    /// The method that must not have a better nDCG than the pipeline; `nil` for no limit. For a mutual order,
    /// the method must not have a better AUC of matches.
    package var notWorseThan: Baseline?

    package init(aucAtLeast: Double? = nil, ndcgDropAtMost: Double? = nil, notWorseThan: Baseline? = nil) {
      (self.aucAtLeast, self.ndcgDropAtMost) = (aucAtLeast, ndcgDropAtMost)
      self.notWorseThan = notWorseThan
    }

    /// The keys of the limits that the pipeline file sets.
    package var stated: [String] {
      [
        aucAtLeast.map { _ in "auc_at_least" }, ndcgDropAtMost.map { _ in "ndcg_drop_at_most" },
        notWorseThan.map { _ in "not_worse_than" },
      ].compactMap(\.self)
    }
  }

  package struct PublishedPositions: Hashable, Sendable {
    package var entity: String
    /// The exclusions. Positions can be excluded only by flags.
    package var exclusions: [Exclusion] = []
  }
}

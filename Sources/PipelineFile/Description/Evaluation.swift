package import Text

// The settings in the section `evaluation`.

extension Pipeline {
  /// The settings of `nightjar evaluate`. `fit` reads them too, because it chooses the discovery settings
  /// with a cut of the same kind.
  package struct Evaluation: Hashable, Sendable {
    package var cut = Cut.share(0.8)
    /// Category attributes of the users. Each group of users with equal words has its own cut.
    package var within: [String] = []
    /// The list lengths at which metrics are computed, ascending.
    package var at = [1, 3, 10]
    /// Category attributes of the users. The evaluation reports results separately for the users of each
    /// word; `nil` for all categories with 2 to 24 words.
    package var slices: [String]?
    /// The name of the evaluated model; `nil` for the first model of the pipeline.
    package var model: String?
    package var laterProfiles = LaterProfiles.unknown
    /// The number of bootstrap samples for each interval.
    package var samples = 1000

    package init() {}

    /// Whether each user or each group of users has its own cut. Learning rows of one user can then be later
    /// than test rows of another user.
    package var cutsWithinUsers: Bool {
      if case .leaveLast = cut { true } else { !within.isEmpty }
    }
  }

  /// The division of the interactions into learning and test rows.
  package enum Cut: Hashable, Sendable {
    /// The earliest interactions are learning rows, up to this share of all interactions. The share is
    /// between 0 and 1, exclusive.
    case share(Double)
    /// Interactions up to this time are learning rows, and later interactions are test rows.
    case moment(Instant)
    /// The latest interactions of each user, up to this number, are test rows. Learning rows of other users
    /// may be later than these test rows.
    case leaveLast(Int)
  }

  /// The treatment of a profile that was last updated after the cut, if no earlier version is known.
  package enum LaterProfiles: String, CaseIterable, Sendable {
    /// The position and the attributes count as missing, so that data from after the cut do not influence the
    /// lists.
    case unknown
    /// The profile is used as exported, which may leak the future.
    case asExported = "as_exported"
  }
}

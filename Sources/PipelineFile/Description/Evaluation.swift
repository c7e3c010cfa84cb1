package import Text

// The settings of `evaluation`.

extension Pipeline {
  /// The settings of `nightjar evaluate`. `fit` reads them too, because the choice of discovery settings
  /// imitates the cut.
  package struct Evaluation: Hashable, Sendable {
    package var cut = Cut.share(0.8)
    /// Categories of users. Each group of users with equal values has its own cut.
    package var within: [String] = []
    /// The list lengths at which metrics are computed, ascending.
    package var at = [1, 3, 10]
    /// Categories of users whose values define slices; `nil` for the categories with few values.
    package var slices: [String]?
    /// The name of the evaluated model; `nil` for the first one.
    package var model: String?
    package var laterProfiles = LaterProfiles.unknown
    /// The number of bootstrap samples.
    package var samples = 1000

    package init() {}

    /// Whether users or groups have cuts of their own. Learning rows of one user can then be later than test
    /// rows of another user.
    package var cutsWithinUsers: Bool {
      if case .leaveLast = cut { true } else { !within.isEmpty }
    }
  }

  /// The division of the interactions into learning and test rows.
  package enum Cut: Hashable, Sendable {
    /// The earliest interactions are learning rows, up to this share of all interactions. The share is
    /// between 0 and 1, exclusive.
    case share(Double)
    /// Interactions up to this time are learning rows.
    case moment(Instant)
    /// This number of latest interactions of each user are test rows, whenever they happened. Learning rows
    /// of other users may therefore be later.
    case leaveLast(Int)
  }

  /// The treatment of a profile that was last updated after the cut, if no earlier version is known.
  package enum LaterProfiles: String, CaseIterable, Sendable {
    /// Position and attributes are missing, so that nothing after the cut has an influence.
    case unknown
    /// The profile is used as exported, which may leak the future.
    case asExported = "as_exported"
  }
}

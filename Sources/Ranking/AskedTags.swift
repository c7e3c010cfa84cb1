internal import PipelineFile
internal import Tables

/// The tags that users ask candidates for, all of them at once.
struct AskedTags: Sendable {
  private let asked: TagColumn
  private let had: TagColumn
  /// By code of what users ask for: the code of what candidates have; `nil` where none has it.
  private let codes: [UInt32?]

  /// - Returns: `nil` where the ranking asks for none.
  init?(_ ranking: Pipeline.Ranking, _ snapshot: Snapshot) {
    var names: (user: String, candidate: String)?
    for case .lackingTags(let user, let candidate) in ranking.exclusions { names = (user, candidate) }
    guard let names else { return nil }
    guard let asked = snapshot.entities[ranking.users]?.tags[names.user],
      let had = snapshot.entities[ranking.candidates]?.tags[names.candidate]
    else { preconditionFailure("the snapshot does not hold '\(names.user)' or '\(names.candidate)'") }
    self.asked = asked
    self.had = had
    codes = (0..<asked.vocabulary.count).map { code in
      had.vocabulary.row(of: Array(copying: asked.vocabulary.bytes(code))).map { UInt32($0) }
    }
  }

  /// The tags of one user.
  struct OfUser: Sendable {
    fileprivate let had: TagColumn
    /// Ascending; `nil` where no candidate has one of them.
    fileprivate let codes: [UInt32]?

    func areLacking(in candidate: Int) -> Bool {
      guard let codes else { return true }
      let (span, range) = (had.codes.span, had.range(candidate))
      var place = range.lowerBound
      for code in codes {
        while place < range.upperBound, span[place] < code { place += 1 }
        if place == range.upperBound || span[place] != code { return true }
      }
      return false
    }
  }

  func of(user: Int) -> OfUser {
    let found = asked.range(user).map { codes[Int(asked.codes[$0])] }
    return OfUser(had: had, codes: found.contains(nil) ? nil : found.compactMap(\.self))
  }
}

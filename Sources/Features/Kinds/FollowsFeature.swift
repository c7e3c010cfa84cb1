internal import Columns
internal import PipelineFile
internal import RunSchemas

extension FeatureBinding {
  func bind(_ feature: FollowsFeature) -> BoundValues {
    let (kind, targets) =
      switch feature.choice {
      case .liked(let kind): (kind, (0..<candidates.count).map { UInt32($0) })
      // `EntityTable.noOwner` and `CategoryColumn.missing` are the same number, so owners can serve as
      // targets unchanged.
      case .owned(let kind): (kind, candidates.owner?.elements ?? [])
      }
    guard let history = snapshot.history(of: kind) else {
      preconditionFailure("the snapshot does not contain the interactions '\(kind)'")
    }
    return BoundValues(FollowedTargets(history, targets: targets, learning: learning, threads: threads))
  }
}

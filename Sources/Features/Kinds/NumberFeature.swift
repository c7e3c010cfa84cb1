internal import Columns
internal import PipelineFile
internal import RunSchemas

extension FeatureBinding {
  func bind(_ feature: NumberFeature) -> BoundValues {
    if let computed = computed(feature.attribute) { return computed }
    let values = candidates.number(feature.attribute).elements
    guard let bins = feature.bins else { return BoundValues(NumberShape(values)) }
    let binned = NumberBins(bins, of: values)
    return BoundValues(codes: values.map(binned.code), binned.names)
  }

  /// The computed attribute `name`; `nil` if there is none. It shows how others treated the candidate, so it
  /// is a public reason only if a list shows it.
  private func computed(_ name: String) -> BoundValues? {
    let kind = interaction.candidate.entity
    guard let attribute = pipeline.entity(kind)?.computedAttribute(name),
      let column = candidates.computed[name]
    else { return nil }
    var groups: CategoryColumn?
    if case .shrunkenMean(_, let group?) = attribute.measure { groups = candidates.category(group) }
    let values = ComputedValues(
      column.elements, of: attribute, received: interactions(attribute.interaction), learning: learning,
      groups: groups,
      isOfUsers: pipeline.interaction(attribute.interaction)?.user.entity == interaction.user.entity,
      threads: threads)
    let isShown = pipeline.rankings.contains {
      $0.candidates == kind && $0.shown.contains(.attribute(name))
    }
    return BoundValues(values, isPublic: isShown)
  }
}

internal import Columns
internal import PipelineFile
internal import RunSchemas

extension FeatureBinding {
  func bind(_ feature: NumberFeature) -> BoundValues {
    if let computed = computed(feature) { return computed }
    let values = candidates.number(feature.attribute).elements
    // Bins need no bounds, because an extreme value merely falls into the lowest or the highest bin.
    guard let bins = feature.bins else {
      return bounded(values, feature, isLogarithm: feature.isLogarithm)
    }
    let binned = NumberBins(bins, of: values)
    return BoundValues(codes: values.map(binned.code), binned.names)
  }

  /// Binds a feature with one number per candidate. The model learns only from numbers within the bounds.
  func bounded(
    _ values: [Double], _ feature: some FeatureKind, isLogarithm: Bool = false
  ) -> BoundValues {
    let bounds = bounds(of: values, feature, \.candidates)
    var (limited, learned) = (bounds.map { $0(values) } ?? values, bounds?.withoutBeyond(values) ?? values)
    if isLogarithm { (limited, learned) = (limited.map(SignedLogarithm.of), learned.map(SignedLogarithm.of)) }
    var bound = BoundValues(NumberShape(limited, learned: learned))
    bound.form.candidates = bounds
    return bound
  }

  /// Returns the bounds of `values`, the numbers of the users or the candidates. During a fit, the bounds are
  /// computed from `values`; otherwise, they come from the fitted model.
  func bounds(
    of values: [Double], _ feature: some FeatureKind, _ side: KeyPath<LearnedForm.Feature, NumberBounds?>
  ) -> NumberBounds? {
    guard let form else { return NumberBounds(of: values) }
    return form.features[feature.names[0]]?[keyPath: side]
  }

  /// Binds the feature of a computed attribute; returns `nil` if the feature's attribute is not computed. The
  /// value reveals how others treated the candidate, so it is a public reason only if a ranking publishes the
  /// attribute with `show`.
  private func computed(_ feature: NumberFeature) -> BoundValues? {
    let name = feature.attribute
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
    let bounds = bounds(of: column.elements, feature, \.candidates)
    let limited = bounds.map { values.bounded(by: $0, learning) } ?? values
    var bound = BoundValues(feature.isLogarithm ? limited.logarithms : limited, isPublic: isShown)
    bound.form.candidates = bounds
    return bound
  }
}

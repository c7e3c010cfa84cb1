internal import RunSchemas

/// A number of the candidates, exported or computed. With bins, the feature is the bin that contains the
/// number, as a category.
package struct NumberFeature: FeatureKind {
  /// How the values of a number are divided into bins.
  package enum Bins: Hashable, Sendable {
    /// At most this many bins with about the same number of candidates each; at least 2.
    case count(Int)
    /// The edges between bins, ascending. A number that equals an edge belongs to the bin above the edge.
    case edges([Double])
  }

  package var attribute: String
  package var bins: Bins?
  /// Whether the feature is the logarithm of the number, with the number's sign.
  package var isLogarithm = false

  package var names: [String] { [isLogarithm ? "log_" + attribute : attribute] }
  package var columnStems: [String] { bins == nil ? names : [attribute + "="] }
}

extension NumberFeature {
  /// Reads `ATTRIBUTE`, `{ from: ATTRIBUTE, bins: 5 }` or `{ from: ATTRIBUTE, log: true }`. `bins` is a
  /// number of bins or a list of the edges between them.
  static func read(_ setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self {
    guard setting.isMapping else { return try plain(setting, settings) }
    let keys = try setting.mapping(keys: ["from", "bins", "log"])
    let from = try setting.required("from", in: keys)
    let isLogarithm = try keys["log"]?.boolean() ?? false
    guard let bins = keys["bins"] else {
      var feature = try plain(from, settings)
      feature.isLogarithm = isLogarithm
      return feature
    }
    guard !isLogarithm else {
      throw setting.mistake(
        "\(setting.label) has 'bins' and 'log', but the logarithm would not change the bins",
        advice: "Remove 'log'.")
    }
    let name = try settings.attribute(from, of: settings.candidates, [.number])
    return Self(attribute: name, bins: try Bins(bins))
  }

  /// Reads a number without bins, which may be computed. In a learning row, a computed number leaves out the
  /// contribution of the row's own user. Bins and differences cannot leave out this contribution, so they
  /// must use exported numbers.
  private static func plain(_ setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> Self
  {
    let name = try setting.text()
    if settings.candidates.computedAttribute(name) != nil { return Self(attribute: name) }
    return Self(attribute: try settings.attribute(setting, of: settings.candidates, [.number]))
  }
}

extension NumberFeature.Bins {
  fileprivate init(_ setting: Setting) throws(PipelineFileError) {
    guard setting.isSequence else {
      self = .count(try setting.integer(2...100))
      return
    }
    var edges: [Double] = []
    for element in try setting.elements() {
      let edge = try element.number()
      if let last = edges.last, edge <= last {
        throw element.mistake("\(element.label) is \(edge), but must be above the previous edge, \(last)")
      }
      edges.append(edge)
    }
    guard (1...100).contains(edges.count) else {
      throw setting.mistake("\(setting.label) must have 1 to 100 edges, not \(edges.count)")
    }
    self = .edges(edges)
  }
}

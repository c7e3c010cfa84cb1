internal import Columns
package import Files
package import PipelineFile
package import Text

/// The properties of a model's features that depend on the data of the fit: the bounds of numbers, and the
/// words that have their own columns.
///
/// Later stages read this form from the models, because the data may have changed since the fit. For example,
/// an erasure may have removed the person whose value determined a bound. Runs of version 0.1 contain no
/// form, so their numbers have no bounds.
package struct LearnedForm: Sendable {
  /// The form of one feature.
  package struct Feature: Sendable {
    /// The words that have their own columns, in byte order. All other words share one column, such as
    /// `other`. The value is `nil` if each word has its own column.
    package var words: [String]?
    /// The number of words that share a column.
    package var sharing = 0
    /// The bounds of the candidates' numbers. `users` contains the bounds of the users' numbers. Only the
    /// feature `difference` has such bounds.
    package var candidates: NumberBounds?
    package var users: NumberBounds?
  }

  /// The form of each feature, by feature name. The name of a geohash feature includes the precision.
  package var features: [String: Feature] = [:]
  /// The bounds of the values that the model learns to predict.
  package var response: NumberBounds?

  package init() {}

  /// The form as the manifest of the models stores it. The words are not included, because the column names
  /// of the models contain them.
  package var json: [String: JSONValue] {
    var (bounds, sharing): ([String: JSONValue], [String: JSONValue]) = ([:], [:])
    for (name, feature) in features {
      var sides: [String: JSONValue] = [:]
      for (side, own) in [("candidates", feature.candidates), ("users", feature.users)] {
        if let own { sides[side] = own.json }
      }
      if !sides.isEmpty {
        sides["beyond"] = .integer((feature.candidates?.beyond ?? 0) + (feature.users?.beyond ?? 0))
        bounds[name] = .object(sides)
      }
      if feature.words != nil { sharing[name] = .integer(feature.sharing) }
    }
    var json: [String: JSONValue] = [:]
    if !bounds.isEmpty { json["bounds"] = .object(bounds) }
    if !sharing.isEmpty { json["words_sharing_a_column"] = .object(sharing) }
    if let response {
      json["response_bounds"] = ["values": response.json, "beyond": .integer(response.beyond)]
    }
    return json
  }

  /// Reads the form of `model` from `stage`, the path of the directory `models` of a run.
  package init(of model: Pipeline.Model, in stage: String) throws(FileError) {
    let all = try Manifest(of: stage).counts
    let counts = model.name.flatMap { all["by_name"]?[$0] } ?? all
    for (name, bounds) in counts["bounds"]?.members ?? [:] {
      var feature = Feature()
      feature.candidates = bounds["candidates"].flatMap(NumberBounds.init)
      feature.users = bounds["users"].flatMap(NumberBounds.init)
      features[name] = feature
    }
    response = (counts["response_bounds"]?["values"]).flatMap(NumberBounds.init)
    let sharing = counts["words_sharing_a_column"]?.members ?? [:]
    guard !sharing.isEmpty else { return }
    let columns = try StringColumn(model.directory(in: stage) + "/columns").strings
    for entry in model.features {
      guard let feature = entry.kind as? any WordFeature, sharing[feature.formName] != nil else { continue }
      let stem = feature.names[0] + "="
      let words = columns.filter { $0.utf8.starts(with: stem.utf8) }.map {
        String(decoding: Array($0.utf8.dropFirst(stem.utf8.count)), as: UTF8.self)
      }
      features[feature.formName, default: Feature()].words = words.filter(feature.isOwnWord)
    }
  }
}

package import Text

/// Formats the counts in the manifest of models as text.
package enum FitSummary {
  /// Returns the number of models and the methods by which they were learned, as text.
  package static func text(_ counts: JSONValue) -> (models: String, kind: String) {
    if let byName = counts["by_name"]?.members {
      var count = counts["models"]?.integerValue ?? 0
      var kinds: [String] = []
      // The counts of the unnamed model are at the top level.
      if counts["method"] != nil {
        count += byName.values.reduce(0) { $0 + ($1["models"]?.integerValue ?? 0) }
        var own = counts.members
        (own["by_name"], own["discovery"]) = (nil, nil)
        kinds.append(text(.object(own)).kind)
      }
      kinds += byName.sorted { $0.key < $1.key }.map { name, counts in
        let (models, kind) = text(counts)
        return name + ": " + (kind.isEmpty ? models : kind)
      }
      kinds += discovery(counts)
      return (count.counted("model"), kinds.filter { !$0.isEmpty }.joined(separator: "; "))
    }
    let models = (counts["models"]?.integerValue ?? 0).counted("model")
    return (
      models,
      ([method(counts)] + outliers(counts) + discovery(counts)).filter { !$0.isEmpty }.joined(separator: "; ")
    )
  }

  /// Returns the settings of rankings by discovery as text: always the popularity, and each other setting
  /// that is set.
  private static func discovery(_ counts: JSONValue) -> [String] {
    (counts["discovery"]?.members ?? [:]).sorted { $0.key < $1.key }.map { name, settings in
      var parts = ["popularity x\((settings["popularity"]?.numberValue ?? 1).short)"]
      if let seconds = settings["half_life_seconds"]?.numberValue {
        parts.append("half-life \((seconds / 86_400).short) d")
      }
      if let place = settings["half_place"]?.numberValue { parts.append("half-place \(place.short)") }
      if let exponent = settings["distance"]?.numberValue, exponent > 0 {
        parts.append("distance exponent \(exponent.short)")
      }
      if let precision = settings["area_precision"]?.integerValue {
        parts.append("areas of precision \(precision)")
      }
      return "\(name): " + parts.joined(separator: ", ")
    }
  }

  /// Returns the number of words that share a column, and the number of values beyond the robust bounds, as
  /// text.
  private static func outliers(_ counts: JSONValue) -> [String] {
    let words = (counts["words_sharing_a_column"]?.members ?? [:]).sorted { $0.key < $1.key }
      .map { "\(($0.value.integerValue ?? 0).grouped) of \($0.key)" }
    let beyond =
      (counts["bounds"]?.members ?? [:]).values.reduce(0) { $0 + ($1["beyond"]?.integerValue ?? 0) }
      + (counts["response_bounds"]?["beyond"]?.integerValue ?? 0)
    return (words.isEmpty ? [] : ["words in a shared column: " + words.joined(separator: ", ")])
      + (beyond == 0 ? [] : [beyond.counted("number") + " beyond the bounds"])
  }

  /// Returns the method by which the models were learned, as text.
  private static func method(_ counts: JSONValue) -> String {
    if let prior = counts["prior"]?.elements, let first = prior.first {
      var parts = ["population prior, " + (first["passes"]?.integerValue ?? 0).counted("pass", "passes")]
      if prior.count > 1 { parts[0] += ", " + (prior.count - 1).counted("group") }
      if !prior.allSatisfy({ $0["converged"] == .boolean(true) }) { parts.append("not converged") }
      if let choice = counts["choice"] { parts.append(chosen(choice)) }
      return parts.joined(separator: "; ")
    }
    if let penalty = counts["l2"]?.numberValue {
      let kind = counts["method"] == "everybody" ? "one ridge regression" : "ridge regressions"
      return "\(kind), l2 \(penalty.short)"
    }
    let names = ["cholesky": "Cholesky", "qr": "QR", "svd": "SVD"]
    let methods = (counts["methods"]?.members ?? [:]).sorted { $0.key < $1.key }
      .map { "\(($0.value.integerValue ?? 0).grouped) \(names[$0.key] ?? $0.key)" }
    return methods.joined(separator: ", ")
  }

  /// Returns the three strongest of the chosen features, and the factor for the spread between users, as
  /// text.
  private static func chosen(_ choice: JSONValue) -> String {
    let kept = (choice["features"]?.elements ?? [])
      .map { (name: $0["feature"]?.stringValue ?? "", strength: $0["strength"]?.numberValue ?? 0) }
      .filter { $0.strength > 0 }
    let strongest = kept.enumerated()
      .sorted { ($1.element.strength, $0.offset) < ($0.element.strength, $1.offset) }
      .prefix(3).map(\.element.name)
    let others = kept.count > 3 ? " and " + (kept.count - 3).counted("other") : ""
    let names = strongest.isEmpty ? "no feature" : strongest.joined(separator: ", ") + others
    return "chose \(names); spread between users x\((choice["spread"]?.numberValue ?? 1).short)"
  }
}

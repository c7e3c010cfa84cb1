internal import CommandLine

/// Metrics in the Prometheus text format.
///
/// Source: the Prometheus documentation, "Exposition formats", text-based format, version 0.0.4.
struct PrometheusText {
  private(set) var text = ""
  private let pipeline: String

  /// Creates an empty text. All metrics get the label `pipeline`.
  init(pipeline: String) {
    self.pipeline = pipeline
  }

  /// Adds a gauge with one value per set of labels. If `samples` is empty, nothing is added.
  mutating func add(_ name: String, _ help: String, _ samples: [(labels: [(String, String)], value: Double)])
  {
    if samples.isEmpty { return }
    text += "# HELP nightjar_\(name) \(help)\n# TYPE nightjar_\(name) gauge\n"
    for sample in samples {
      let labels = ([("pipeline", pipeline)] + sample.labels).map { "\($0.0)=\"\(Self.escaped($0.1))\"" }
      text += "nightjar_\(name){\(labels.joined(separator: ","))} \(Self.number(sample.value))\n"
    }
  }

  mutating func add(_ name: String, _ help: String, _ value: Double) {
    add(name, help, [([], value)])
  }

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  private static func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : "\(value)"
  }
}

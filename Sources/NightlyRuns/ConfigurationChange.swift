internal import CommandLine
internal import RunSchemas
internal import Text

/// How the pipeline file in force differs from the one that a stage was made under.
enum ConfigurationChange {
  /// The top-level keys that a stage and those before it do not depend on.
  static func irrelevantKeys(to stage: Stage) -> Set<String> {
    let outputs: Set = ["evaluation", "publish", "keep_runs"]
    return switch stage {
    case .ingest: outputs.union(["model", "models", "rankings"])
    case .index, .fit: outputs.union(["rankings"])
    case .rank, .evaluate, .publish: outputs
    }
  }

  /// The keys, with dots between their parts, whose values differ, in order.
  ///
  /// - Parameters:
  ///   - old: The configuration of a manifest.
  ///   - new: That of the pipeline file in force.
  ///   - stage: Whose manifest it is; `nil` compares everything.
  /// - Returns: The keys.
  static func keys(from old: JSONValue, to new: JSONValue, stage: Stage?) -> [String] {
    let ignored = stage.map(irrelevantKeys) ?? ["keep_runs"]
    return keys(old, new, at: []).filter { !ignored.contains(String($0.prefix { $0 != "." })) }
  }

  private static func keys(_ old: JSONValue, _ new: JSONValue, at path: [String]) -> [String] {
    guard old != new else { return [] }
    guard case .object(let before) = old, case .object(let after) = new else {
      return [path.joined(separator: ".")]
    }
    return Set(before.keys).union(after.keys).sorted().flatMap { key in
      keys(before[key] ?? .null, after[key] ?? .null, at: path + [key])
    }
  }
}

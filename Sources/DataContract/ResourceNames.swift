internal import PipelineFile

/// Maps the name of each source to its resource name. Resource names must be lowercase and unique, so a
/// repeated name gets a suffix such as `-2`.
struct ResourceNames {
  private var names: [String: String] = [:]

  init(_ pipeline: Pipeline) {
    var taken: Set<String> = []
    for name in pipeline.sourceNames {
      let lower = name.lowercased()
      var unique = lower
      var number = 2
      while !taken.insert(unique).inserted {
        unique = "\(lower)-\(number)"
        number += 1
      }
      names[name] = unique
    }
  }

  subscript(_ name: String) -> String { names[name] ?? name.lowercased() }
}

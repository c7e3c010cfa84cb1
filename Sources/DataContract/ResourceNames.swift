internal import PipelineFile

/// The resource name of each source, by source name. Resource names must be lowercase and unique, so a number
/// is added to a repeated name.
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

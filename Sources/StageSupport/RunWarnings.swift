internal import PipelineFile
internal import Tables

/// What whoever runs a night should know of its exports.
struct RunWarnings {
  let lines: [String]

  init(_ pipeline: Pipeline, _ snapshot: Manifest) {
    var lines: [String] = []
    for (name, source) in (snapshot.counts["sources"]?.members ?? [:]).sorted(by: { $0.key < $1.key }) {
      if source["read"] == 0 { lines.append("'\(name)' has no rows at all: is its export the right file?") }
      if case .array(let fields) = source["absent_fields"] {
        let names = fields.compactMap { if case .string(let field) = $0 { "'\(field)'" } else { nil } }
        lines.append("no record of '\(name)' has \(names.joined(separator: ", ")): are they misspelt?")
      }
    }
    self.lines = lines
  }
}

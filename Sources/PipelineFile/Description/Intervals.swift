internal import RunSchemas

// Attributes of type `intervals`: time intervals such as free slots.

extension Pipeline {
  /// The members of an object that hold the start and the end of an interval.
  package struct IntervalEnds: Hashable, Sendable {
    package var begin = "from"
    package var end = "to"
  }
}

extension Setting {
  /// Reads `[BEGIN, END]`, the names of the members that hold the start and the end. Rejects an `attribute`
  /// of any type except `intervals`.
  func intervalEnds(of attribute: Pipeline.Attribute) throws(PipelineFileError) -> Pipeline.IntervalEnds {
    guard attribute.type == .intervals else {
      throw mistake(
        "'\(path)' is only for intervals, but the type of '\(attribute.name)' is \(attribute.type)",
        advice: "Remove this key.")
    }
    let names = try elements()
    guard names.count == 2 else {
      throw mistake(
        "\(label) must be a list of two names such as [from, to], not a list of length \(names.count)")
    }
    let ends = Pipeline.IntervalEnds(begin: try names[0].text(), end: try names[1].text())
    guard ends.begin != ends.end else {
      throw mistake(
        "\(label) names '\(ends.begin)' twice",
        advice: "Name one member for the start and another for the end.")
    }
    return ends
  }
}

import Testing

@testable import PipelineFile

/// The keys of a pipeline file that select the method of a model.
struct ModelTests {
  private static func pipeline(_ lines: String) throws(PipelineFileError) -> Pipeline {
    let yaml = """
      pipeline: p
      entities:
        people:
          source: { path: people.csv }
          id: id
          attributes:
            role: { type: category }
            age: { type: number }
      interactions:
        likes: { source: { path: likes.csv }, user: a, candidate: b, at: t, value: v }
      model:
        learns_from: likes
        features: [number: age]
      \(lines.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n"))
      rankings:
        best: { users: people, candidates: people }
      """
    return try Pipeline(yaml: yaml, file: "p.yaml")
  }

  @Test(
    arguments: [
      ("", .createml, 0), ("compat: createml", .createml, 0), ("l2: auto", .ridge(.automatic), -.infinity),
      ("l2: 0.5", .ridge(.fixed(0.5)), -.infinity), ("l2: 1e-9", .ridge(.fixed(1e-9)), -.infinity),
      ("l2: 1e12", .ridge(.fixed(1e12)), -.infinity),
      ("prior: everybody", .everybody(.automatic), -.infinity),
      ("prior: everybody\nl2: 10", .everybody(.fixed(10)), -.infinity),
      ("prior: population", .population(by: nil), -.infinity),
      ("prior: { population: by role }", .population(by: "role"), -.infinity),
      ("prior: { population: role }", .population(by: "role"), -.infinity),
    ] as [(String, Pipeline.Method, Double)])
  func `each spelling is a method, and only createml has a minimum score`(
    lines: String, method: Pipeline.Method, minimum: Double
  ) throws {
    let pipeline = try Self.pipeline(lines)
    #expect(pipeline.model?.method == method)
    #expect(pipeline.model?.isChosenWithinLearning == false)
    #expect(pipeline.rankings[0].minimumScore == minimum)
  }

  @Test func `a choice within learning needs the population`() throws {
    let pipeline = try Self.pipeline("prior: population\nchoose: within_learning")
    #expect(pipeline.model?.isChosenWithinLearning == true)
  }

  @Test(arguments: [
    ("compat: createml\nprior: population", 14, "'prior' has no effect"),
    ("l2: 3\ncompat: createml", 15, "'l2' has no effect"),
    ("prior: population\nl2: auto", 15, "no effect with"),
    ("prior: nobody", 14, "population, everybody"), ("prior: { population: by age }", 14, "role"),
    ("prior: { population: by rol }", 14, "nearest name is 'role'"),
    ("prior: { everybody: role }", 14, "population"),
    ("l2: 1e-10", 14, "from 1e-9"), ("l2: 2e12", 14, "to 1e12"),
    ("compat: createml\nchoose: within_learning", 14, "'choose' has no effect"), ("l2: 0", 14, "from 1e-9"),
    ("l2: -1", 14, "from 1e-9"), ("l2: some", 14, "'auto' or a number"),
    ("choose: within_learning", 14, "prior: population"),
    ("prior: everybody\nchoose: within_learning", 15, "prior: population"),
    ("prior: population\nchoose: by_hand", 15, "within_learning"),
  ])
  func `a contradiction is reported on its line`(lines: String, line: Int, says: String) {
    let error = #expect(throws: PipelineFileError.self) { try Self.pipeline(lines) }
    let reported = error.map { "\($0)" } ?? ""
    #expect(reported.hasPrefix("p.yaml:\(line):") && reported.contains(says), "\(reported)")
  }
}

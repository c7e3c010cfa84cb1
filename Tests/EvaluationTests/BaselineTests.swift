import PipelineFile
import Testing

@testable import Evaluation

@Test func `a pipeline file can name every method except its own model`() {
  #expect(Baseline.allCases.map(\.rawValue) == Method.allCases.dropFirst().map(\.rawValue))
  #expect(Method.allCases.first == .pipeline)
}
